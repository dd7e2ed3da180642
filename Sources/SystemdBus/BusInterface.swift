// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
import POSIX

/// The implementation of a D-Bus interface by one object, exported with ``Bus/export(_:at:)``.
///
/// Spaces separate the names of arguments: `"from to"`.
package final class BusInterface {
    package typealias Method = (BusMessage) throws(BusError) -> Void
    package typealias Getter = (BusMessage) -> Void

    package enum Change {
        /// Never changes while the object exists.
        case constant
        /// Every change is announced by PropertiesChanged.
        case announced
        /// Changes without a signal.
        case silent
    }

    package let name: String
    private var members: [sd_bus_vtable] = []
    /// What the members' offsets point to.
    private var boxes: [AnyObject] = []
    /// What the members' names of arguments point to.
    private var texts: [UnsafeMutablePointer<CChar>] = []
    /// What libsystemd reads from the first export on.
    private var vtable: UnsafeMutableBufferPointer<sd_bus_vtable>?

    package init(_ name: String) {
        self.name = name
    }

    deinit {
        vtable?.deallocate()
        for text in texts { text.deallocate() }
    }

    /// Adds a method; `body` replies to the message, now or later, or throws the error to reply with.
    package func method(
        _ name: StaticString,
        _ arguments: StaticString = "",
        returns: StaticString = "",
        names: StaticString = "",
        _ body: @escaping Method
    ) {
        var entry = blank(type: _SD_BUS_VTABLE_METHOD)
        entry.flags = UInt64(SD_BUS_VTABLE_UNPRIVILEGED) | UInt64(SD_BUS_VTABLE_ABSOLUTE_OFFSET)
        entry.x.method.member = cString(name)
        entry.x.method.signature = cString(arguments)
        entry.x.method.result = cString(returns)
        entry.x.method.names = terminated(names)
        entry.x.method.offset = offset(of: Box(body))
        entry.x.method.handler = { message, userdata, error in
            guard let message, let userdata else { return -EINVAL }
            let call = BusMessage(borrowing: message)
            do throws(BusError) {
                try Box<Method>.closure(in: userdata)(call)
            } catch {
                call.reply(error)
            }
            return 1
        }
        members.append(entry)
    }

    /// Adds a property whose value `getter` appends.
    package func property(
        _ name: StaticString,
        _ type: StaticString,
        _ change: Change = .announced,
        _ getter: @escaping Getter
    ) {
        var entry = blank(type: _SD_BUS_VTABLE_PROPERTY)
        entry.flags = UInt64(SD_BUS_VTABLE_ABSOLUTE_OFFSET)
        switch change {
        case .constant: entry.flags |= UInt64(SD_BUS_VTABLE_PROPERTY_CONST)
        case .announced: entry.flags |= UInt64(SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
        case .silent: break
        }
        entry.x.property.member = cString(name)
        entry.x.property.signature = cString(type)
        entry.x.property.offset = offset(of: Box(getter))
        entry.x.property.get = { _, _, _, _, reply, userdata, _ in
            guard let reply, let userdata else { return -EINVAL }
            Box<Getter>.closure(in: userdata)(BusMessage(borrowing: reply))
            return 0
        }
        members.append(entry)
    }

    /// Adds a signal to the introspection data; ``Bus/emit(_:of:at:to:_:)`` sends it.
    package func signal(_ name: StaticString, _ arguments: StaticString, names: StaticString) {
        var entry = blank(type: _SD_BUS_VTABLE_SIGNAL)
        entry.x.signal.member = cString(name)
        entry.x.signal.signature = cString(arguments)
        entry.x.signal.names = terminated(names)
        members.append(entry)
    }

    /// Lends the members, to which none may be added any more.
    func withVtable<Result>(_ body: (UnsafePointer<sd_bus_vtable>?) -> Result) -> Result {
        if vtable == nil {
            var start = blank(type: _SD_BUS_VTABLE_START)
            start.x.start.element_size = MemoryLayout<sd_bus_vtable>.stride
            start.x.start.features = UInt64(_SD_BUS_VTABLE_PARAM_NAMES)
            start.x.start.vtable_format_reference = orientd_vtable_format()
            let entries = [start] + members + [blank(type: _SD_BUS_VTABLE_END)]
            let memory = UnsafeMutableBufferPointer<sd_bus_vtable>.allocate(capacity: entries.count)
            _ = memory.initialize(from: entries)
            vtable = memory
        }
        return body(UnsafePointer(vtable?.baseAddress))
    }

    private func blank(type: some BinaryInteger) -> sd_bus_vtable {
        // libsystemd requires the unused parts of each entry's union to be zero, as they are here.
        var entry = sd_bus_vtable()
        entry.type = UInt8(type)
        return entry
    }

    /// Returns names as libsystemd reads them, a NUL after each and at the end, kept as long as this interface.
    ///
    /// They are not literals with a NUL: Embedded Swift 6.2 cuts off those of another module there.
    private func terminated(_ names: StaticString) -> UnsafePointer<CChar> {
        let count = names.utf8CodeUnitCount
        guard count > 0 else { return cString(names) }
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: count + 2)
        text.initialize(repeating: 0, count: count + 2)
        for index in 0..<count where names.utf8Start[index] != UInt8(ascii: " ") {
            text[index] = CChar(names.utf8Start[index])
        }
        texts.append(text)
        return UnsafePointer(text)
    }

    /// Keeps a box as long as this interface.
    private func offset(of box: AnyObject) -> Int {
        boxes.append(box)
        return Int(bitPattern: Unmanaged.passUnretained(box).toOpaque())
    }
}

private func cString(_ string: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
