// SPDX-License-Identifier: Apache-2.0

import CXCB
import POSIX
import SystemdBus

/// One connection to an X server, used by one thread: the other end of ``X11Outputs``.
final class X11Screen {
    let loop: EventLoop
    private let reports: Mailbox<X11Outputs.Report>
    private let connection: X11Connection
    private var watches: [EventSource] = []
    private let firstRandREvent: UInt8
    private let hasPower: Bool
    private let windows: X11Windows
    let input: X11Input?

    /// The size of a pixel in millimetres, which changes of the screen's size keep.
    private var pitch = (x: 0.0, y: 0.0)
    private var outputs: [Output] = []
    /// Whether the outputs may have changed since they were reported.
    private var isStale = true

    init(
        _ display: String,
        _ requests: Mailbox<X11Outputs.Request>,
        _ reports: Mailbox<X11Outputs.Report>
    ) throws(SystemError) {
        self.reports = reports
        loop = try EventLoop()
        let connection = try X11Connection(to: display)
        self.connection = connection
        guard let randr = connection.numbers(ofExtension: "RANDR"),
            let version = connection.ask(xcb_randr_query_version_reply, { xcb_randr_query_version($0, 1, 3) })?.header,
            version.major_version == 1 && version.minor_version >= 3 || version.major_version > 1
        else { throw SystemError("use RandR 1.3 of the X server at", connection.name, errno: .notSupported) }
        firstRandREvent = randr.firstEvent
        hasPower = connection.numbers(ofExtension: "DPMS") != nil
        let screen = connection.screen
        pitch.x = Self.pitch(screen.width_in_millimeters, screen.width_in_pixels)
        pitch.y = Self.pitch(screen.height_in_millimeters, screen.height_in_pixels)
        windows = X11Windows(connection)
        input = X11Input(connection)
        let mask =
            XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue
            | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE.rawValue
        connection.send { xcb_randr_select_input($0, connection.root, UInt16(mask)) }
        watches = [
            try loop.watch(connection.descriptor, owned(by: self) { $0.handleEvents() }),
            try loop.watch(requests, owned(by: self) { $0.handle($1) }),
        ]
    }

    /// Millimetres a pixel; as on a display with 96 dots an inch if the server does not know.
    private static func pitch(_ millimetres: UInt16, _ pixels: UInt16) -> Double {
        millimetres > 0 && pixels > 0 ? Double(millimetres) / Double(pixels) : 25.4 / 96
    }

    /// Serves the connection until it ends or a request ends the loop.
    func run() throws(SystemError) {
        handleEvents()
        _ = try loop.run(keeping: self)
    }

    // MARK: - Events

    private func handle(_ request: X11Outputs.Request) {
        request(self)
        // Some may have arrived with replies.
        handleEvents()
    }

    private func handleEvents() {
        repeat {
            while let event = connection.nextEvent() { handle(event) }
            guard !connection.isBroken else {
                let reason = "the X server at \(connection.name) closed the connection"
                reports.send { $0.onEvent(.lost(reason)) }
                return loop.exit()
            }
        } while update()
        connection.flush()
    }

    /// Updates the first of outputs, window and input devices that has changed; returns false if none has.
    private func update() -> Bool {
        if isStale {
            report()
        } else if windows.isStale {
            windows.update(outputs) { window in reports.send { $0.onEvent(.window(window)) } }
        } else if let input, input.isStale {
            input.update()
        } else {
            return false
        }
        return true
    }

    private func handle(_ event: X11Event) {
        switch event.number {
        case firstRandREvent &+ UInt8(XCB_RANDR_SCREEN_CHANGE_NOTIFY):
            isStale = true
            let screen = event.fields(xcb_randr_screen_change_notify_event_t.self)
            pitch = (Self.pitch(screen.mwidth, screen.width), Self.pitch(screen.mheight, screen.height))
        case firstRandREvent &+ UInt8(XCB_RANDR_NOTIFY): isStale = true
        case UInt8(XCB_GE_GENERIC): input?.handle(event)
        default: windows.handle(event)
        }
    }

    private func report() {
        isStale = false
        // An event follows if the server refused because its configuration is newer.
        guard let state = RandRState(connection) else { return }
        outputs = state.outputs
        windows.layoutChanged()
        input?.layoutChanged(outputs, screen: state.screen)
        reports.send { [outputs] in $0.onEvent(.outputs(outputs)) }
    }

    // MARK: - Changes

    func apply(_ change: OutputChange) {
        let power = power
        guard change.appliesWhileOff || power == Self.on else {
            return reports.send { $0.onEvent(.changeEnded(.off)) }
        }
        connection.send { xcb_grab_server($0) }
        var result = OutputResult.reported
        do throws(OutputResult) { try make(change) } catch { result = error }
        // Drivers light an output whose mode they set, of which the server knows nothing.
        if power != Self.on { connection.send { xcb_dpms_force_level($0, power) } }
        connection.send { xcb_ungrab_server($0) }
        isStale = true
        handleEvents()
        reports.send { [result] in $0.onEvent(.changeEnded(result)) }
    }

    func finish() {
        handleEvents()
        connection.finish()
        reports.send { $0.onFinished() }
    }

    private static let on = UInt16(XCB_DPMS_DPMS_MODE_ON.rawValue)

    /// How far the outputs are blanked, which only all of them are at once.
    private var power: UInt16 {
        guard hasPower, let info = connection.ask(xcb_dpms_info_reply, { xcb_dpms_info($0) })?.header else {
            return Self.on
        }
        return info.power_level
    }

    private func make(_ change: OutputChange) throws(OutputResult) {
        guard let state = RandRState(connection), var layout = RandRLayout(state.crtcs, state.modes) else {
            throw .outdated
        }
        for (name, transform) in change.transforms {
            guard let panel = state.connectors.first(where: { $0.name == name && $0.crtc != 0 }) else {
                throw .outdated
            }
            guard layout.rotate(panel.crtc, to: transform) else {
                throw .refused("the X server does not offer this rotation")
            }
        }
        for (name, position) in change.positions {
            guard let crtc = state.connectors.first(where: { $0.name == name })?.crtc else { continue }
            layout.move(crtc, to: position)
        }
        layout.normalize()
        let range = connection.ask(xcb_randr_get_screen_size_range_reply) {
            xcb_randr_get_screen_size_range($0, connection.root)
        }
        guard let limits = range?.header, layout.screen.width <= Int(limits.max_width),
            layout.screen.height <= Int(limits.max_height)
        else { throw .refused("the screen would be larger than the X server allows") }
        layout.screen.width = max(layout.screen.width, Int(limits.min_width))
        layout.screen.height = max(layout.screen.height, Int(limits.min_height))

        let before = state.crtcs.filter { $0.isOn }
        do throws(OutputResult) {
            for crtc in before where !layout.contains(crtc) { try set(crtc.off) }
            if layout.screen != state.screen { try resize(to: layout.screen) }
            for crtc in layout.crtcs where !before.contains(crtc) { try set(crtc) }
        } catch {
            // Back to how it was; nothing more can be done if that fails as well.
            for crtc in layout.crtcs { try? set(crtc.off) }
            try? resize(to: state.screen)
            for crtc in before { try? set(crtc) }
            throw error
        }
    }

    private func set(_ crtc: RandRState.Crtc) throws(OutputResult) {
        let (id, now, outputs) = (crtc.id, xcb_timestamp_t(XCB_CURRENT_TIME), crtc.outputs)
        let (x, y, count) = (Int16(clamping: crtc.area.x), Int16(clamping: crtc.area.y), UInt32(outputs.count))
        let reply = connection.ask(xcb_randr_set_crtc_config_reply) {
            xcb_randr_set_crtc_config($0, id, now, now, x, y, crtc.mode, crtc.rotation, count, outputs)
        }
        switch reply.map({ UInt32($0.header.status) }) {
        case XCB_RANDR_SET_CONFIG_SUCCESS.rawValue: break
        case XCB_RANDR_SET_CONFIG_INVALID_TIME.rawValue, XCB_RANDR_SET_CONFIG_INVALID_CONFIG_TIME.rawValue:
            throw .outdated
        default: throw .refused("the X server refused it")
        }
    }

    private func resize(to size: Extent) throws(OutputResult) {
        let (width, height) = (UInt16(clamping: size.width), UInt16(clamping: size.height))
        let exact = [Double(size.width) * pitch.x, Double(size.height) * pitch.y]
        let millimetres = exact.map { UInt32(max(1, $0.rounded())) }
        let isDone = connection.succeeds {
            xcb_randr_set_screen_size_checked($0, connection.root, width, height, millimetres[0], millimetres[1])
        }
        if !isDone { throw .refused("the X server does not set the screen to \(size.width)x\(size.height)") }
    }
}
