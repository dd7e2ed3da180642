// SPDX-License-Identifier: Apache-2.0

import CLinux
import OrientationSensors
import POSIX
import SystemdBus

/// Signs of sensors that the kernel does not offer, on a machine without an accelerometer.
struct SensorHubs {
    /// The PCI device id of a hub, such as `0xa845`, and the drivers of the HID devices that are its sensors.
    typealias Hub = (device: String, drivers: [String])

    var intel, amd: Hub?
    /// The firmware files for Intel's hubs; nil on a system that keeps them elsewhere.
    var firmware: [String]?
    /// The device node of Qualcomm's sensor core, whether the daemon runs that it needs, and what the core answers; nil
    /// where it was not asked.
    var fastrpc: String?
    var hasHexagonrpcd = false
    var core: SensorCoreProbe.Stage?

    /// The names of Intel's hubs that need a file to start, by PCI device id.
    private static let generations = [
        "0xa845": "lnlm", "0xe345": "ptl", "0xe445": "ptl", "0x4d45": "wcl", "0xd354": "nvlh", "0x6e78": "nvls",
    ]

    /// What a machine without an accelerometer lacks; the reason follows.
    static let missing = "no accelerometer that orientd can use, so the interface cannot follow the device"

    /// Explains why there is no accelerometer; nil if nothing here does.
    var finding: Finding? {
        if let intel, intel.drivers.isEmpty, let name = Self.generations[intel.device].map({ "ish_" + $0 }),
            let firmware, !firmware.contains(where: { $0.begins(with: name) })
        {
            let remedy = Remedy.change("install the package firmware-intel-misc or linux-firmware")
            let text = "\(Self.missing): the firmware of Intel's sensor hub is missing, intel/ish/\(name).bin"
            return .fail(text, remedy: remedy)
        }
        for (hub, maker, word) in [(intel, "Intel", "ish"), (amd, "AMD", "mp2")] {
            // With any other driver, that for the sensors is missing.
            guard let hub, hub.drivers.allSatisfy({ $0 == "hid-sensor-hub" }) else { continue }
            let remedy = Remedy.command("sudo journalctl -k -b -g \(word)")
            return .fail("\(Self.missing): \(maker)'s sensor hub reports none", remedy: remedy)
        }
        guard let fastrpc else { return nil }
        let text = "\(Self.missing): Qualcomm's sensor core (\(fastrpc)) "
        let (problem, remedy) = coreProblem
        return .fail(text + problem, remedy: remedy)
    }

    private var coreProblem: (String, Remedy) {
        let readLog = Remedy.command("journalctl -b -u orientd -u 'hexagonrpcd*'")
        switch core {
        case .sensors(let types) where types.contains("accel"):
            return ("has one that is not used without Source=ssc in orientd.conf", .configure)
        case .sensors(let types):
            return (types.isEmpty ? "has no sensors" : "has none, only \(types.joined(separator: ", "))", readLog)
        case _ where !hasHexagonrpcd:
            return ("needs hexagonrpcd, which does not run", .command("systemctl status 'hexagonrpcd*'"))
        case .noService: return ("offers no service", .command("sudo journalctl -k -b -g 'remoteproc|qrtr'"))
        case .noRegistry: return ("has no sensors yet, as it got no configuration from hexagonrpcd", readLog)
        case nil: return ("has none, or none is used without Source=ssc in orientd.conf", readLog)
        }
    }

    /// What there is on a machine without an accelerometer, where no sensor hub explains that.
    static var otherFinding: Finding {
        func names(_ devices: [Device]) -> String {
            devices.map { $0.attribute("name") ?? $0.name }.joined(separator: ", ")
        }
        // Not the buses themselves, which are in the same subsystems.
        let chips = (Device.found("i2c") + Device.found("spi")).filter { $0.attribute("modalias") != nil }
        let withoutDriver = names((chips + accelerometers).filter { $0.property("DRIVER") == nil })
        guard withoutDriver.isEmpty else {
            let text = "\(missing): no driver is loaded for \(withoutDriver), which may be one"
            return .fail(text, remedy: .loadDrivers)
        }
        let others = names(Device.found("iio", "iio:device*"))
        let found = others.isEmpty ? "none" : "other sensors only (\(others))"
        let text = "\(missing): the kernel has found \(found); orientctl(1), DIAGNOSIS, lists what to look at"
        return .fail(text, remedy: .command("sudo journalctl -k -b -g 'iio|accel|sensor'"))
    }

    /// The accelerometers of HID hubs.
    static var accelerometers: [Device] { Device.found("platform", "HID-SENSOR-200073*") }

    static var ofThisMachine: SensorHubs {
        func hub(_ driver: String, bus: String) -> Hub? {
            let card = Device.found("pci").first { $0.property("DRIVER") == driver }
            return card.map {
                ($0.attribute("device") ?? "", Device.found("hid", bus + ":*").map { $0.property("DRIVER") ?? "" })
            }
        }
        // An accelerometer of a hub: only its driver is missing.
        guard accelerometers.isEmpty else { return SensorHubs() }
        var hubs = SensorHubs(intel: hub("intel_ish_ipc", bus: "001F"), amd: hub("pcie_mp2_amd", bus: "0020"))
        if access("/lib/firmware", F_OK) == 0 {
            hubs.firmware = (try? FileDescriptor.names(in: "/lib/firmware/intel/ish")) ?? []
        }
        hubs.fastrpc = (try? SensorCore.nodes)?.first?.devnode
        hubs.hasHexagonrpcd = runningProcesses.contains { commandName(of: $0) == "hexagonrpcd" }
        return hubs
    }
}

extension Device {
    /// The devices of a subsystem with such names; none where they cannot be listed.
    static func found(_ subsystem: String, _ pattern: String = "*") -> [Device] {
        (try? all(inSubsystem: subsystem, named: pattern)) ?? []
    }
}
