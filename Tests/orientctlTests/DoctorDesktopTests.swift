// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SystemdBus
import Testing

@testable import orientctl

/// Why a desktop does not rotate the display.
@Suite struct DoctorDesktopTests {
    private static let conditional = "; on a convertible, TabletSwitch=yes below [Tablet] adds one"

    private func findings(_ kind: Desktop.Kind, _ change: (inout Desktop) -> Void) -> [Finding] {
        var desktop = Desktop(kind: kind)
        change(&desktop)
        return desktop.findings
    }

    private func remedy(_ findings: [Finding]) -> String? { findings.first?.remedy.command(on: .system) }

    // MARK: - Locks

    @Test(arguments: [
        (Desktop.Kind.gnome, "org.gnome.settings-daemon"), (.phosh, "org.gnome.settings-daemon"),
        (.cinnamon, "org.cinnamon.settings-daemon"),
    ])
    func `the desktop's own lock is named with the command that releases it`(kind: Desktop.Kind, schema: String) {
        let locked = findings(kind) { $0.isLocked = true }
        #expect(locked.map { $0.text } == ["the rotation lock of \(kind.rawValue) is on"])
        #expect(remedy(locked) == "gsettings set \(schema).peripherals.touchscreen orientation-lock false")
        #expect(findings(kind) { $0.isLocked = false }.isEmpty)
        #expect(findings(kind) { $0.isLocked = nil }.isEmpty)
    }

    // MARK: - GNOME

    private func unmanaged(
        _ inputs: Set<Desktop.Input>?,
        virtual: Desktop.VirtualSwitch = .impossible,
        isLaptop: Bool = false,
        _ change: (inout Desktop) -> Void = { _ in }
    ) -> [Finding] {
        findings(.gnome) {
            $0.isPanelManaged = false
            $0.inputs = inputs
            $0.virtualSwitch = virtual
            $0.laptopSource = isLaptop ? .switch : nil
            change(&$0)
        }
    }

    @Test func `GNOME rotates only with a touch screen`() {
        let findings = unmanaged([.touchpad])
        #expect(findings.map { $0.text } == ["GNOME rotates only with a touch screen, and there is none"])
        #expect(remedy(findings) == "gnome-control-center display")
    }

    @Test func `GNOME does not rotate while there is a pointer and no tablet switch`() {
        let text = "GNOME does not rotate while there is a mouse or touchpad and no tablet switch"
        let inputs: Set<Desktop.Input> = [.touchScreen, .touchpad]
        #expect(unmanaged(inputs).map { $0.text } == [text + Self.conditional])
        let hinged = unmanaged(inputs, virtual: .off(isMeasured: true))
        #expect(hinged.map { $0.text } == [text + "; TabletSwitch=yes below [Tablet] adds one"])
        #expect(remedy(hinged) == "sudoedit /etc/orientd/orientd.conf; sudo systemctl restart orientd")
        let broken = unmanaged(inputs, virtual: .on(isMeasured: true))
        #expect(broken.map { $0.text } == [text + ", in spite of TabletSwitch=yes"])
        #expect(remedy(broken) == "systemctl status 'orientd-tablet-switch*'")
        #expect(unmanaged(inputs, virtual: .on(isMeasured: true)) { $0.isNew = true }.isEmpty)
        let set = unmanaged(inputs, virtual: .on(isMeasured: false)) { $0.isModeSet = true }
        #expect(remedy(set) == remedy(broken))
        let manual = unmanaged(inputs, virtual: .off(isMeasured: false))
        let advice = "; TabletSwitch=yes below [Tablet] adds one for orientctl tablet-mode"
        #expect(manual.map { $0.text } == [text + advice])
        let ready = unmanaged(inputs, virtual: .on(isMeasured: false))
        #expect(remedy(ready) == "orientctl tablet-mode tablet")
    }

    @Test func `a laptop that GNOME does not rotate is as it should be`() {
        let inputs: Set<Desktop.Input> = [.touchScreen, .tabletSwitch, .touchpad]
        #expect(unmanaged(inputs, isLaptop: true).map { $0.verdict } == [.ok])
    }

    @Test func `nothing is said where the inputs do not explain why GNOME does not rotate`() {
        #expect(unmanaged(nil).isEmpty)
        // A tablet with a switch that says tablet, and one with nothing but its touch screen.
        #expect(unmanaged([.touchScreen, .tabletSwitch, .touchpad]).isEmpty)
        #expect(unmanaged([.touchScreen]).isEmpty)
        #expect(findings(.gnome) { $0.inputs = [] }.isEmpty)
        #expect(
            findings(.gnome) {
                $0.isPanelManaged = true
                $0.inputs = []
            }.isEmpty
        )
    }

    private func unclaimed(_ change: (inout Desktop) -> Void) -> [Finding] {
        findings(.gnome) {
            $0.isPanelManaged = true
            $0.isLocked = false
            $0.isDisplayOn = true
            $0.hasClaim = false
            change(&$0)
        }
    }

    @Test(arguments: [
        ("49.0", ", a fault of version 49.0: upgrade to 51, or log in again"),
        ("50.2", ", a fault of version 50.2: upgrade to 51, or log in again"), ("51.0", ": log in again"),
        ("48.7", ": log in again"), ("", ": log in again"),
    ])
    func `a claim that mutter has lost is named with its cure`(version: String, cure: String) {
        let findings = unclaimed { $0.version = version }
        #expect(findings.map { $0.text } == ["GNOME does not read the sensor although it should" + cure])
        #expect(remedy(findings) == "gnome-session-quit --logout")
    }

    @Test func `mutter has lost no claim unless all that prevents it is known to be absent`() {
        #expect(unclaimed { $0.hasClaim = true }.isEmpty)
        #expect(unclaimed { $0.hasClaim = nil }.isEmpty)
        #expect(unclaimed { $0.isDisplayOn = false }.isEmpty)
        #expect(unclaimed { $0.isDisplayOn = nil }.isEmpty)
        #expect(unclaimed { $0.isLocked = nil }.isEmpty)
        #expect(unclaimed { $0.isPanelManaged = false }.isEmpty)
        #expect(unclaimed { $0.isLocked = true }.map { $0.text } == ["the rotation lock of GNOME is on"])
    }

    // MARK: - KDE

    private func kde(
        _ policy: Desktop.Policy?,
        tablet: Bool? = nil,
        _ change: (inout Desktop) -> Void = { _ in }
    )
        -> [Finding]
    {
        findings(.kde) {
            $0.policy = policy.map { ("eDP-1", $0) }
            $0.isTabletMode = tablet
            $0.inputs = [.touchScreen, .touchpad]
            change(&$0)
        }
    }

    @Test func `KDE's policy Never is named`() {
        let findings = kde(.never, tablet: true)
        #expect(findings.map { $0.text } == ["KDE is set never to rotate eDP-1"])
        #expect(remedy(findings) == "kscreen-doctor output.eDP-1.autoRotatePolicy.inTabletMode")
    }

    @Test func `KDE's policy InTabletMode is named while KWin is not in tablet mode`() {
        let text = "KDE rotates eDP-1 in tablet mode only, and"
        let always = "kscreen-doctor output.eDP-1.autoRotatePolicy.always"
        let plain = kde(.inTabletMode, tablet: false)
        #expect(plain.map { $0.text } == ["\(text) there is no tablet switch" + Self.conditional])
        #expect(remedy(plain) == always)
        let hinged = kde(.inTabletMode, tablet: false) { $0.virtualSwitch = .off(isMeasured: true) }
        let advice = "; TabletSwitch=yes below [Tablet] adds one"
        #expect(hinged.map { $0.text } == ["\(text) there is no tablet switch" + advice])
        let switched = kde(.inTabletMode, tablet: false) { $0.inputs?.insert(.tabletSwitch) }
        #expect(switched.map { $0.text } == ["\(text) KWin is not in it"])
        #expect(remedy(switched) == always)
        // TabletMode=off in kwinrc.
        let pure = kde(.inTabletMode, tablet: false) { $0.inputs = [.touchScreen] }
        #expect(pure.map { $0.text } == ["\(text) KWin is not in it"])
        let laptop = kde(.inTabletMode, tablet: false) {
            $0.inputs?.insert(.tabletSwitch)
            $0.laptopSource = .switch
        }
        #expect(laptop.map { $0.verdict } == [.ok])
    }

    @Test(arguments: [(Desktop.Policy.always, Bool?.some(false)), (.always, nil), (.inTabletMode, true)])
    func `a sensor that KWin does not read is explained while KWin should read it`(when: Desktop.Policy, tablet: Bool?)
    {
        let unclaimed: (inout Desktop) -> Void = { ($0.isDisplayOn, $0.hasClaim) = (true, false) }
        let findings = kde(when, tablet: tablet, unclaimed)
        #expect(findings.map { $0.text } == ["KDE does not read the sensor although it should: log in again"])
        let crippled = kde(when, tablet: tablet) {
            unclaimed(&$0)
            $0.hasSensorPlugin = false
        }
        #expect(crippled.map { $0.text } == ["KDE lacks the part of Qt that reads the sensor"])
        #expect(kde(when, tablet: tablet).isEmpty)
        #expect(kde(when, tablet: tablet) { ($0.isDisplayOn, $0.hasClaim) = (true, true) }.isEmpty)
        #expect(kde(when, tablet: tablet) { ($0.isDisplayOn, $0.hasClaim) = (false, false) }.isEmpty)
    }

    // KWin 6.7 was told to install a part of Qt that it does not use.
    @Test(arguments: [
        ("6.7.0", true), ("6.10.1", true), ("7.0", true), ("6.6.90", true), ("6.6.5", false), ("6.3.6", false),
        ("", false),
    ])
    func `KWin reads the sensor without Qt since 6.7`(version: String, isIndependent: Bool) {
        #expect(Desktop.readsSensorItself(version) == isIndependent)
    }

    @Test func `nothing is said about KDE while its state is unknown`() {
        #expect(kde(nil, tablet: false).isEmpty)
        #expect(kde(.inTabletMode, tablet: nil) { ($0.isDisplayOn, $0.hasClaim) = (true, false) }.isEmpty)
        #expect(kde(.inTabletMode, tablet: false) { $0.inputs = nil }.isEmpty)
    }

    /// KWin's file as KWin 6 writes it, with entries for these outputs.
    private func file(_ outputs: [String]) -> [UInt8] {
        let entries = outputs.map { #"{ "edidIdentifier": "BOE 2300 0 0 2020 0", "scale": 2, \#($0) }"# }
        let setups = #"{ "data": [{ "lidClosed": false, "outputs": [{ "outputIndex": 0 }] }], "name": "setups" }"#
        return Array(#"[{ "data": [\#(entries.joined(separator: ","))], "name": "outputs" }, \#(setups)]"#.utf8)
    }

    @Test(arguments: [
        ([#""connectorName": "eDP-1", "autoRotation": "Never""#], "eDP-1 Never"),
        ([#""connectorName": "DSI-1", "autoRotation": "Always""#], "DSI-1 Always"),
        // KWin's default.
        ([#""connectorName": "eDP-1""#], "eDP-1 InTabletMode"),
        // The policy of a monitor does not matter.
        (
            [
                #""connectorName": "DP-1", "autoRotation": "Never""#,
                #""connectorName": "LVDS-1", "autoRotation": "Always""#,
            ],
            "LVDS-1 Always"
        ),
        ([#""connectorName": "DP-1", "autoRotation": "Never""#], nil), ([#""autoRotation": "Never""#], nil), ([], nil),
        // Another panel was built in before.
        (
            [
                #""connectorName": "eDP-1", "autoRotation": "Never""#,
                #""connectorName": "eDP-1", "autoRotation": "Always""#,
            ],
            nil
        ),
    ])
    func `the policy is that of the built-in output in KWin's file`(outputs: [String], expected: String?) {
        let policy = Desktop.policy(in: file(outputs))
        #expect(policy.map { "\($0.output) \($0.when.rawValue)" } == expected)
    }

    @Test(arguments: [
        "", "[", "{}", "null", #"[{ "name": "outputs" }]"#, #"[1, "outputs", { "name": "outputs", "data": {} }]"#,
    ])
    func `a file that is not KWin's says nothing`(text: String) {
        #expect(Desktop.policy(in: Array(text.utf8)) == nil)
    }
}
