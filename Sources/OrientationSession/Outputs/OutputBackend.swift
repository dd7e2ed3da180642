// SPDX-License-Identifier: Apache-2.0

import POSIX

/// A change that is requested from the compositor or X server.
struct OutputChange: Hashable, Sendable {
    /// The new transforms of outputs, by name.
    var transforms: [String: Transform] = [:]
    /// The new places of outputs, by name; all others stay where they are, or where the compositor puts them.
    var positions: [String: Position] = [:]
    /// Whether it is to be made also while an output that it transforms is blanked.
    var appliesWhileOff = false
    /// The outputs that are blanked, and are to stay so.
    var blanked: Set<String> = []

    var isEmpty: Bool { transforms.isEmpty && positions.isEmpty }
}

/// The result of a change; thrown where that is a failure.
enum OutputResult: Error, Hashable {
    /// It was accepted; what it has made may be reported later.
    case applied
    /// It was made, and what it has made was reported before this.
    case reported
    /// The outputs have changed meanwhile, and their new state is still to come.
    case outdated
    /// An output to transform is blanked: nothing was changed, or what was changed is not reported before it is on.
    case off
    /// With the reason, as words that follow "the compositor".
    case refused(String)
}

/// What the compositor or X server reports.
enum OutputEvent {
    /// Something about the outputs changed, or they are known for the first time.
    case outputs([Output])
    /// The change that was requested last has ended.
    case changeEnded(OutputResult)
    /// The focused window, or whether it covers the screen, changed; nil if there is none, or if none is known.
    case window(FocusedWindow?)
    /// These outputs show another workspace.
    case workspace(outputs: Set<String>)
    /// The compositor has read its configuration again, which may reset outputs as well.
    case reloaded
    /// The connection has ended, or is given up as the server did not answer in time; with a whole message.
    case lost(String, isSilent: Bool = false)
    /// The server cannot be used, or did not return after its connection had ended; with a whole message.
    case givenUp(String)
}

/// The outputs of a session, over the protocol of its compositor or X server.
///
/// It reports ``OutputEvent`` from the event loop only, never from a call to it. It ends with its last reference.
protocol OutputBackend: AnyObject {
    /// Requests a change, whose end is reported. No other change may be pending.
    func apply(_ change: OutputChange)

    /// Called when wl_output objects have changed, for a backend whose own protocol does not report that.
    func requestOutputs()
}

extension OutputBackend {
    func requestOutputs() {}
}

/// The window that gets the keyboard's input.
struct FocusedWindow: Hashable, Sendable {
    /// The application's id on Wayland, its class on X11.
    var appID: String
    var isFullscreen: Bool
    /// The names of the outputs that show it; nil if unknown.
    var outputs: Set<String>?

    /// Whether an output shows it, as far as is known.
    func isShown(on output: String) -> Bool { outputs?.contains(output) ?? true }
}
