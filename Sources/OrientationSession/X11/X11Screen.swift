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
    private let windows: X11Windows
    private let input: X11Input?

    /// The size of a pixel in millimetres, which changes of the screen's size keep.
    private var pitch: (x: Double, y: Double)
    private var outputs: [Output] = []
    /// Whether the outputs may have changed since they were reported.
    private var isStale = true

    /// Serves one connection until it ends or a request ends the loop, as the body of a thread.
    static func serve(_ requests: Mailbox<X11Outputs.Request>, _ reports: Mailbox<X11Outputs.Report>) {
        do throws(SystemError) {
            let screen = try X11Screen(requests, reports)
            screen.handleEvents()
            _ = try screen.loop.run()
            withExtendedLifetime(screen) {}
        } catch {
            let problem = "\(error)"
            reports.send { $0.onRefused(problem) }
        }
    }

    private init(
        _ requests: Mailbox<X11Outputs.Request>,
        _ reports: Mailbox<X11Outputs.Report>
    ) throws(SystemError) {
        self.reports = reports
        loop = try EventLoop()
        let connection = try X11Connection()
        self.connection = connection
        guard let randr = connection.numbers(ofExtension: "RANDR"),
            let version = connection.ask(xcb_randr_query_version_reply, { xcb_randr_query_version($0, 1, 3) })?.header,
            version.major_version == 1 && version.minor_version >= 3 || version.major_version > 1
        else { throw SystemError("use RandR 1.3 of the X server at", connection.name, errno: .notSupported) }
        firstRandREvent = randr.firstEvent
        pitch = (
            Self.pitch(connection.millimetres.width, connection.pixels.width),
            Self.pitch(connection.millimetres.height, connection.pixels.height)
        )
        windows = X11Windows(connection)
        input = X11Input(connection)
        let mask =
            XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue
            | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE.rawValue
        connection.send { xcb_randr_select_input($0, connection.root, UInt16(mask)) }
        let server = connection.server
        reports.send { $0.server = server }
        watches = [
            try loop.watch(connection.descriptor) { [unowned(unsafe) self] in handleEvents() },
            try loop.watch(requests.descriptor) { [unowned(unsafe) self] in
                var batch: [X11Outputs.Request] = []
                requests.receive(into: &batch)
                for request in batch { request(self) }
                // Some may have arrived with replies.
                handleEvents()
            },
        ]
    }

    /// Millimetres a pixel; as on a display with 96 dots an inch if the server does not know.
    private static func pitch(_ millimetres: Int, _ pixels: Int) -> Double {
        millimetres > 0 && pixels > 0 ? Double(millimetres) / Double(pixels) : 25.4 / 96
    }

    // MARK: - Events

    private func handleEvents() {
        repeat {
            while let event = connection.nextEvent() { handle(event) }
            guard !connection.isBroken else {
                let reason = "the X server at \(connection.name) closed the connection"
                reports.send { $0.delegate.backendLost(reason) }
                return loop.exit()
            }
        } while update()
        connection.flush()
    }

    /// Brings one thing up to date, during which events may arrive; false if nothing has changed.
    private func update() -> Bool {
        if isStale {
            report()
        } else if windows.isStale {
            windows.update(outputs) { window in reports.send { $0.delegate.windowChanged(window) } }
        } else if let input, input.isStale {
            input.update()
        } else {
            return false
        }
        return true
    }

    private func handle(_ event: X11Event) {
        switch event.number {
        case firstRandREvent + UInt8(XCB_RANDR_SCREEN_CHANGE_NOTIFY):
            isStale = true
            pitch = (
                Self.pitch(Int(event.short(at: 28)), Int(event.short(at: 24))),
                Self.pitch(Int(event.short(at: 30)), Int(event.short(at: 26)))
            )
        case firstRandREvent + UInt8(XCB_RANDR_NOTIFY): isStale = true
        case UInt8(XCB_CONFIGURE_NOTIFY), UInt8(XCB_DESTROY_NOTIFY): windows.movedOrDestroyed(event.word(at: 8))
        case UInt8(XCB_PROPERTY_NOTIFY): windows.propertyChanged(event.word(at: 8), of: event.word(at: 4))
        case UInt8(XCB_GE_GENERIC): input?.handle(event)
        default: break
        }
    }

    /// Reports the outputs as they are now.
    private func report() {
        isStale = false
        // An event follows if the server refused because its configuration is newer.
        guard let state = RandRState(connection) else { return }
        outputs = state.outputs
        windows.layoutChanged()
        input?.layoutChanged(outputs, screen: state.screen)
        reports.send { [outputs] in $0.delegate.outputsChanged(outputs) }
    }

    // MARK: - Changes

    func mapInput(to panel: String, _ isMapped: Bool) { input?.map(to: panel, isMapped) }

    func apply(_ change: OutputChange) {
        connection.send { xcb_grab_server($0) }
        let result = perform(change)
        connection.send { xcb_ungrab_server($0) }
        // The new state is reported before the result.
        isStale = true
        handleEvents()
        reports.send { $0.delegate.changeEnded(result) }
    }

    func finish() {
        handleEvents()
        connection.finish()
        reports.send { $0.finished() }
    }

    private func perform(_ change: OutputChange) -> OutputResult {
        guard let state = RandRState(connection),
            let panel = state.connectors.first(where: { $0.name == change.output && $0.crtc != 0 }),
            var layout = RandRLayout(state)
        else { return .outdated }
        guard layout.rotate(panel.crtc, to: change.transform) else {
            return .refused("the X server does not offer this rotation")
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
        else { return .refused("the screen would be larger than the X server allows") }
        layout.screen.width = max(layout.screen.width, Int(limits.min_width))
        layout.screen.height = max(layout.screen.height, Int(limits.min_height))

        let changed = layout.crtcs.filter { crtc in state.crtcs.contains { $0.id == crtc.id && $0 != crtc } }
        let unfit = state.crtcs.filter { $0.isOn && !layout.contains($0) }
        if let result = configure(changed, off: unfit, screen: layout.screen, from: state) {
            // Back to how it was; nothing more can be done if that fails as well.
            _ = configure(state.crtcs.filter { $0.isOn }, off: layout.crtcs, screen: state.screen, from: nil)
            return result
        }
        return .applied
    }

    /// Switches CRTCs off, resizes the screen, and sets these and the given CRTCs; returns nil if all went well.
    ///
    /// `state` is what the server has now; nil if that is not known.
    private func configure(
        _ crtcs: [RandRState.Crtc],
        off: [RandRState.Crtc],
        screen: Extent,
        from state: RandRState?
    ) -> OutputResult? {
        for crtc in off {
            if let result = set(crtc, isOn: false) { return result }
        }
        if screen != state?.screen, !resize(to: screen) {
            return .refused("the X server does not set the screen to \(screen.width)x\(screen.height)")
        }
        for crtc in crtcs {
            if let result = set(crtc, isOn: true) { return result }
        }
        return nil
    }

    private func set(_ crtc: RandRState.Crtc, isOn: Bool) -> OutputResult? {
        let outputs = isOn ? crtc.outputs : []
        let reply = connection.ask(xcb_randr_set_crtc_config_reply) {
            xcb_randr_set_crtc_config(
                $0,
                crtc.id,
                xcb_timestamp_t(XCB_CURRENT_TIME),
                xcb_timestamp_t(XCB_CURRENT_TIME),
                isOn ? Int16(clamping: crtc.position.x) : 0,
                isOn ? Int16(clamping: crtc.position.y) : 0,
                isOn ? crtc.mode : 0,
                isOn ? crtc.rotation : UInt16(XCB_RANDR_ROTATION_ROTATE_0.rawValue),
                UInt32(outputs.count),
                outputs
            )
        }
        switch reply?.header.status {
        case UInt8(XCB_RANDR_SET_CONFIG_SUCCESS.rawValue): return nil
        case UInt8(XCB_RANDR_SET_CONFIG_INVALID_TIME.rawValue),
            UInt8(XCB_RANDR_SET_CONFIG_INVALID_CONFIG_TIME.rawValue):
            return .outdated
        default: return .refused("the X server refused it")
        }
    }

    private func resize(to size: Extent) -> Bool {
        connection.succeeds {
            xcb_randr_set_screen_size_checked(
                $0,
                connection.root,
                UInt16(clamping: size.width),
                UInt16(clamping: size.height),
                UInt32(max(1, (Double(size.width) * pitch.x).rounded())),
                UInt32(max(1, (Double(size.height) * pitch.y).rounded()))
            )
        }
    }
}
