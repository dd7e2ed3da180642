// SPDX-License-Identifier: Apache-2.0

import JSON
import OrientationCore
import Testing

@testable import OrientationBus
@testable import OrientationConfiguration
@testable import SystemdBus
@testable import orientctl

@Suite struct DoctorServiceTests {
    private let daemon = NameOwner(uniqueName: ":1.5", process: 12, command: "orientd", user: 999)
    private let other = NameOwner(uniqueName: ":1.7", process: 34, command: "iio-sensor-prox", user: 0)

    @Test func `a daemon of another version is a warning`() {
        #expect(ServiceChecks.service(version: "0.0.1", daemon, account: "orientd").verdict == .warn)
    }

    @Test(arguments: [
        ("not-found", "inactive", "install orientd"), ("masked", "inactive", "sudo systemctl unmask orientd"),
        ("loaded", "failed", "sudo systemctl restart orientd"), ("loaded", "active", "sudo systemctl restart orientd"),
        ("loaded", "inactive", "sudo systemctl start orientd"), ("loaded", "activating", "journalctl -u orientd -b"),
    ])
    func `a unit that does not run comes with a command that fixes it`(load: String, active: String, remedy: String) {
        let unit = ServiceChecks.UnitState(load: load, active: active, result: "success")
        let finding = ServiceChecks.service(unit, problem: "")
        #expect(finding.verdict == .fail)
        #expect(finding.remedy.command(on: .system) == remedy)
    }

    @Test(arguments: [
        (BusAddress.session, "/a/orientd --bus=session"),
        (.address("unix:path=/a b"), "/a/orientd --bus='unix:path=/a b'"),
    ])
    func `without a service manager the daemon is started by hand`(bus: BusAddress, remedy: String) {
        let found = ServiceChecks.service(nil, problem: "none").remedy
        #expect(found.command(on: bus, orientd: "/a/orientd") == remedy)
        let quoted = remedy.replacing("/a/orientd", with: "'/a b/orientd'")
        #expect(found.command(on: bus, orientd: "/a b/orientd") == quoted)
    }

    // orientd is not in PATH: the remedies named only its name.
    @Test(arguments: [
        ("/usr/bin/orientctl", ["/usr/libexec/orientd"], "/usr/libexec/orientd"),
        ("/usr/bin/orientctl", ["/usr/bin/orientd", "/usr/libexec/orientd"], "/usr/bin/orientd"),
        ("/usr/bin/orientctl", ["/usr/local/libexec/orientd"], "orientd"),
        ("/src/.build/debug/orientctl", ["/src/.build/debug/orientd"], "/src/.build/debug/orientd"),
        ("/orientctl", ["/libexec/orientd"], "/libexec/orientd"), ("", ["/usr/libexec/orientd"], "orientd"),
    ])
    func `orientd is looked for near orientctl`(orientctl: String, programs: [String], path: String) {
        #expect(Remedy.path(of: "orientd", near: orientctl) { programs.contains($0) } == path)
    }

    // The remedies named the system's service although another bus was examined.
    @Test(arguments: [
        (Remedy.restart, "/a/orientd --replace --bus=session"), (.readLog, ""), (.replaceSensorProxy, ""),
        (.change("sudo anything"), ""), (.command("systemctl status anything"), "systemctl status anything"),
        (.orientctl("unlock"), "orientctl --bus=session unlock"),
        (.report, "orientctl --bus=session doctor --report report.txt"),
        (.administrator("autorotate auto"), "orientctl --bus=session autorotate auto"),
    ])
    func `a remedy is for the orientd that was examined`(remedy: Remedy, command: String) {
        #expect(remedy.command(on: .session, orientd: "/a/orientd") == command)
        let other = command.replacing("--bus=session", with: "--bus='unix:path=/a b'")
        #expect(remedy.command(on: .address("unix:path=/a b"), orientd: "/a/orientd") == other)
    }

    private func status(_ change: (inout ManagerStatus) -> Void) -> ManagerStatus {
        var status = ManagerStatus(naturalOrientation: .portrait)
        status.hasAccelerometer = true
        change(&status)
        return status
    }

    @Test(arguments: [
        (rule: RotationRule.device, verdict: Finding.Verdict.ok, remedy: Remedy.none), (.unknown, .ok, .none),
        (.paused, .ok, .none), (.laptop, .ok, .none), (.mask, .ok, .orientctl("requests")),
        (.fixed, .ok, .orientctl("requests")), (.waiting, .ok, .orientctl("requests")),
        (.preferred, .ok, .orientctl("requests")), (.manual, .ok, .orientctl("align")),
        (.kept, .ok, .orientctl("align")), (.lock, .warn, .orientctl("unlock")),
        (.never, .warn, .orientctl("tablet-mode tablet")),
    ])
    func `doctor says in the words of status what decides`(
        rule: RotationRule,
        verdict: Finding.Verdict,
        remedy: Remedy
    ) {
        var status = status {
            $0.askedRequest = 1
            $0.interfaceRule = rule
            $0.deviceOrientation = .portrait
            $0.supportedOrientations = .portrait
        }
        let finding = ServiceChecks.rotation(status)
        #expect(finding.text.hasPrefix("the interface orientation is \(Status.interface(status))"))
        #expect(finding.verdict == verdict && finding.remedy == remedy)
        // Nothing can be aligned to a device of which nothing is known.
        status.deviceOrientation = .unknown
        #expect(ServiceChecks.rotation(status).remedy != .orientctl("align"))
    }

    @Test func `polkit that is installed is started`() {
        #expect(Remedy.providePolkit(isInstalled: true).command(on: .system).hasSuffix("sudo systemctl start polkit"))
        let missing = Remedy.providePolkit(isInstalled: false)
        #expect(missing.command(on: .system) == "install the package polkitd or polkit")
    }

    @Test func `autorotation that is off by default is switched on, and otherwise as usual`() {
        var status = status { $0.interfaceRule = .never }
        status.autorotateSource = .override
        let remedy = ServiceChecks.rotation(status, usualMode: .never).remedy
        #expect(remedy.command(on: .system) == "sudo orientctl autorotate always")
        #expect(ServiceChecks.rotation(status, usualMode: .tabletMode).remedy == .administrator("autorotate auto"))
        // orientd has another configuration than orientctl.
        status.autorotateSource = .default
        let byDefault = ServiceChecks.rotation(status, usualMode: .tabletMode)
        #expect(byDefault.remedy == .orientctl("tablet-mode tablet"))
        #expect(byDefault.text.hasSuffix("off, the default where Idiom= or 'hostnamectl chassis' says laptop"))
    }

    @Test func `the device's mask has no request to list`() {
        let status = status { $0.interfaceRule = .mask }
        #expect(ServiceChecks.rotation(status).remedy == .none)
    }

    @Test func `on a terminal a finding is wrapped, and the command has a line of its own`() {
        var finding = Finding.warn("nothing owns org.orientd1", remedy: .command("systemctl status orientd"))
        finding.subject = "bus"
        #expect(
            finding.rows(on: .system, columns: 24) == [
                "warn  bus: nothing owns", "      org.orientd1", "      try: systemctl status orientd",
            ]
        )
        #expect(finding.line(on: .system) == "warn  bus: nothing owns org.orientd1; try: systemctl status orientd")
    }

    @Test func `the programs that turn the display are named`() {
        let shell = NameOwner(uniqueName: ":1.9", process: 56, command: "gnome-shell", user: 1000)
        let agent = AgentLock.Holder(process: 78, display: "wayland-1", activity: "rotates DSI-1 over wlr")
        let findings = ServiceChecks.rotators([shell], [agent], user: 0)
        #expect(
            findings == [
                .ok("process 56 (gnome-shell) claims the accelerometer over net.hadess.SensorProxy"),
                .ok("process 78 (orient-agent) rotates DSI-1 over wlr"),
            ]
        )
        let text = "\(findings[0].text), and may rotate the display as well"
        #expect(ServiceChecks.rotators([shell], [agent], user: 1000) == [.warn(text), findings[1]])
        #expect(ServiceChecks.rotators([shell], [], user: 1000) == [findings[0]])
        #expect(ServiceChecks.rotators([], []).isEmpty)
        let keeper = AgentLock.Holder(process: 78, activity: AgentLock.keepingLock)
        #expect(ServiceChecks.rotators([], [keeper]).isEmpty)
    }

    @Test func `an agent without an output is a warning`() {
        func agent(_ hindrance: AgentLock.Hindrance, _ rest: String) -> AgentLock.Holder {
            AgentLock.Holder(process: 78, activity: hindrance.words + rest)
        }
        let refused = agent(.refused, "the X server refuses")
        #expect(ServiceChecks.rotators([], [refused]).map { $0.verdict } == [.warn])
        #expect(ServiceChecks.rotators([], [agent(.noService, "")]).map { $0.verdict } == [.warn])
        let overruled = agent(.overruled, "DSI-1 as another program set it")
        #expect(ServiceChecks.rotators([], [overruled], .orientctl("lock")).map { $0.remedy } == [.orientctl("lock")])
        let idle = agent(.noOutput, "")
        let text = "process 78 (orient-agent) finds no output to rotate"
        let warning = Finding.warn(text, remedy: .command("man orient-agent.conf"))
        #expect(ServiceChecks.rotators([], [idle]) == [warning])
    }

    @Test(
        arguments: [
            (.device, .off, "align"), (.lock, .current, "lock"), (.lock, .orientation(.portrait), "lock"),
            (.laptop, .current, "align"), (.mask, .current, nil), (.mask, .off, "align"),
        ] as [(RotationRule, RotationLock, String?)]
    )
    func `what is shown again changes no lock`(rule: RotationRule, lock: RotationLock, command: String?) {
        let status = status { ($0.interfaceRule, $0.rotationLock) = (rule, lock) }
        #expect(ServiceChecks.reapplication(status) == command.map { .orientctl($0) } ?? .none)
    }

    @Test func `a trial leaves iio-sensor-proxy alone`() {
        let proxy = NameOwner(uniqueName: ":1.3", process: 5, command: "iio-sensor-proxy", user: 0)
        func finding(_ owner: NameOwner?, unit: String?) -> Finding {
            ServiceChecks.sensorProxy(owner, daemon: nil, unit: unit, choice: nil, isInstalled: false)
        }
        let text = "orientd is not installed, and net.hadess.SensorProxy belongs to "
        #expect(finding(proxy, unit: "/proxy.service") == .ok(text + "process 5 (iio-sensor-proxy)"))
        #expect(finding(nil, unit: "/proxy.service") == .ok(text + "/proxy.service"))
        #expect(finding(nil, unit: nil).verdict == .warn)
    }

    @Test func `the name of iio-sensor-proxy should belong to orientd`() {
        func verdict(_ owner: NameOwner?, unit: String? = nil, choice: Bool? = nil) -> Finding.Verdict {
            ServiceChecks.sensorProxy(owner, daemon: daemon, unit: unit, choice: choice).verdict
        }
        #expect(verdict(daemon) == .ok)
        #expect(verdict(other) == .warn)
        #expect(verdict(nil) == .warn)
        #expect(verdict(nil, choice: false) == .ok)
        #expect(verdict(nil, unit: "/usr/lib/systemd/system/iio-sensor-proxy.service") == .warn)
        #expect(ServiceChecks.sensorProxy(nil, daemon: nil, unit: nil, choice: nil).verdict == .warn)
    }

    @Test func `polkit should know the actions and let this user claim`() {
        #expect(ServiceChecks.polkit(missing: [], mayClaim: true).verdict == .ok)
        #expect(ServiceChecks.polkit(missing: [], mayClaim: false).verdict == .warn)
        #expect(ServiceChecks.polkit(missing: ["org.orientd1.lock"], mayClaim: true).verdict == .fail)
    }

    @Test func `the saved state should be valid and readable by the daemon`() {
        let sound = "[State]\nRotationLock=off\nHeldOrientation=portrait\nInterfaceOrientation=portrait\nVersion=1\n"
        let account = Account(name: "orientd", user: 999, groups: [])
        let access = FileAccess(owner: 999, group: 999, permissions: 0o600)
        func verdict(_ text: String, _ access: FileAccess) -> Finding.Verdict {
            ServiceChecks.state("/state", Array(text.utf8), access, account).verdict
        }
        #expect(verdict(sound, access) == .ok)
        #expect(verdict("[State]\n", access) == .warn)
        #expect(verdict(sound, FileAccess(owner: 0, group: 0, permissions: 0o600)) == .fail)
    }

    @Test func `mistakes in orientd.conf are a warning`() {
        let finding = ServiceChecks.configuration(["/etc/orientd/orientd.conf:3: no such key"])
        #expect(finding == .warn("/etc/orientd/orientd.conf:3: no such key", remedy: finding.remedy))
        #expect(finding.remedy == .change("sudoedit /etc/orientd/orientd.conf"))
        #expect(ServiceChecks.configuration([]).verdict == .ok)
    }

    @Test func `a finding is one line without control characters`() {
        var finding = Finding.warn("a\nb\u{1B}[31m", remedy: .command("mend\nit"))
        finding.subject = "kernel"
        #expect(finding.line(on: .system) == "warn  kernel: a\u{FFFD}b\u{FFFD}[31m; try: mend\u{FFFD}it")
        finding = .ok("there")
        finding.subject = "bus"
        #expect(finding.line(on: .system) == "ok    bus: there")
        #expect(finding.json(on: .system).line == #"{"check":"bus","result":"ok","text":"there","remedy":""}"#)
    }
}
