// SPDX-License-Identifier: Apache-2.0

import Glibc
import OrientationClient

/// Views of which the last one decides; as UINavigationController, it does not turn the interface itself while it has
/// views.
struct NavigationStack {
    let orientd: OrientationService
    let container: GeometryRequest
    private var views: [GeometryRequest] = []

    init(_ orientd: OrientationService, in container: GeometryRequest) {
        self.orientd = orientd
        self.container = container
    }

    mutating func push(_ view: GeometryPreferences) async throws(OrientationError) {
        views.append(try await orientd.addChild(view, to: container))
        try await orientd.forward(container, to: views.last)
    }

    mutating func pop() async throws(OrientationError) {
        let popped = views.removeLast()
        try await orientd.forward(container, to: views.last)
        popped.release()
    }
}

/// Views of which the selected one decides; as UITabBarController, and the interface turns for it at once.
struct TabBar {
    let orientd: OrientationService
    let container: GeometryRequest
    let tabs: [GeometryRequest]

    func select(_ index: Int) async throws(OrientationError) {
        try await orientd.forward(container, to: tabs[index])
        try await orientd.setNeedsUpdateOfSupportedInterfaceOrientations(tabs[index])
    }
}

do {
    let orientd = try OrientationService()
    var view = GeometryPreferences(appID: "org.example.Gallery", interfaceOrientations: .all)
    let window = try await orientd.requestGeometryUpdate(view)

    func show(_ what: String) async throws(OrientationError) {
        print("\(what):", try await orientd.state().interfaceOrientation)
    }
    try await show("window")

    var stack = NavigationStack(orientd, in: window)
    view.interfaceOrientations = .portrait
    try await stack.push(view)
    view.interfaceOrientations = .landscape
    try await stack.push(view)
    try await show("a picture in landscape was pushed")
    try await stack.pop()
    try await show("popped")

    view.interfaceOrientations = .portrait
    let album = try await orientd.addChild(view, to: window)
    view.interfaceOrientations = .landscape
    let map = try await orientd.addChild(view, to: window)
    let tabs = TabBar(orientd: orientd, container: window, tabs: [album, map])
    try await tabs.select(1)
    try await show("the map's tab")
    try await tabs.select(0)
    try await show("the album's tab")
    window.release()
} catch {
    print(error)
    exit(1)
}
