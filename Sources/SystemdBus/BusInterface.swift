// SPDX-License-Identifier: Apache-2.0

import CLinux
import CSystemd
import POSIX

/// The implementation of a D-Bus interface by one object, exported with ``Bus/export(_:at:)``.
///
/// Each argument name ends with a NUL: `"from\0to\0"`.
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
    private var vtable: UnsafeMutableBufferPointer<sd_bus_vtable>
    private var count = 1

    /// Creates an interface with a capacity of `members` members.
    package init(_ name: String, members: Int) {
        self.name = name
        // libsystemd requires the unused parts of each entry's union to be zero; the empty initialiser zeroes them.
        vtable = .allocate(capacity: members + 2)
        vtable.initialize(repeating: sd_bus_vtable())
        vtable[0].type = UInt8(_SD_BUS_VTABLE_START)
        vtable[0].x.start.element_size = MemoryLayout<sd_bus_vtable>.stride
        vtable[0].x.start.features = UInt64(_SD_BUS_VTABLE_PARAM_NAMES)
        vtable[0].x.start.vtable_format_reference = orientd_vtable_format()
        vtable[1].type = UInt8(_SD_BUS_VTABLE_END)
    }

    deinit {
        for entry in vtable[1..<count] {
            switch Int(entry.type) {
            case Int(_SD_BUS_VTABLE_METHOD): release(UnsafeMutableRawPointer(bitPattern: entry.x.method.offset))
            case Int(_SD_BUS_VTABLE_PROPERTY): release(UnsafeMutableRawPointer(bitPattern: entry.x.property.offset))
            default: break
            }
        }
        vtable.deallocate()
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
        entry.x.method.names = cString(names)
        entry.x.method.offset = Int(bitPattern: Box(body).retained())
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
        add(entry)
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
        entry.x.property.offset = Int(bitPattern: Box(getter).retained())
        entry.x.property.get = { _, _, _, _, reply, userdata, _ in
            guard let reply, let userdata else { return -EINVAL }
            Box<Getter>.closure(in: userdata)(BusMessage(borrowing: reply))
            return 0
        }
        add(entry)
    }

    /// Adds a signal to the introspection data; ``Bus/emit(_:of:at:to:_:)`` sends it.
    package func signal(_ name: StaticString, _ arguments: StaticString, names: StaticString) {
        var entry = blank(type: _SD_BUS_VTABLE_SIGNAL)
        entry.x.signal.member = cString(name)
        entry.x.signal.signature = cString(arguments)
        entry.x.signal.names = cString(names)
        add(entry)
    }

    func withVtable<Result>(_ body: (UnsafePointer<sd_bus_vtable>?) -> Result) -> Result {
        body(vtable.baseAddress.map { UnsafePointer($0) })
    }

    private func blank(type: some BinaryInteger) -> sd_bus_vtable {
        var entry = sd_bus_vtable()
        entry.type = UInt8(type)
        return entry
    }

    private func add(_ entry: sd_bus_vtable) {
        precondition(count < vtable.count - 1, "an interface has more members than its capacity")
        vtable[count + 1] = vtable[count]
        vtable[count] = entry
        count += 1
    }
}

private func cString(_ string: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
