// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@Suite struct MachineConfigurationTests {
    static let implied: [(Idiom?, InterfaceOrientationMask, AutorotateMode)] = [
        (nil, .all, .always),
        (.tablet, .all, .always),
        (.handset, .allButUpsideDown, .always),
        (.convertible, .all, .tabletMode),
        (.laptop, .all, .never),
    ]

    @Test(arguments: implied)
    func `what the machine is decides where the configuration does not`(
        idiom: Idiom?,
        supported: InterfaceOrientationMask,
        mode: AutorotateMode
    ) {
        var silent = MachineConfiguration()
        silent.naturalOrientation = .landscapeLeft
        #expect(
            silent.rotation(chassis: idiom)
                == RotationConfiguration(supported: supported, natural: .landscapeLeft, laptop: .landscapeRight)
        )
        #expect(silent.autorotateMode(chassis: idiom, hasTabletMode: false) == mode)
        #expect(silent.autorotateMode(chassis: idiom, hasTabletMode: true) == .tabletMode)

        // What is configured counts, whatever hostnamed says.
        var configured = MachineConfiguration()
        configured.idiom = idiom ?? .tablet
        for chassis in [nil] + Idiom.allCases {
            #expect(configured.rotation(chassis: chassis).supported == supported)
            #expect(configured.autorotateMode(chassis: chassis, hasTabletMode: false) == mode)
            #expect(configured.autorotateMode(chassis: chassis, hasTabletMode: true) == .tabletMode)
        }
    }

    @Test(arguments: [nil] + Idiom.allCases)
    func `what is configured counts on every machine`(idiom: Idiom?) {
        var configuration = MachineConfiguration()
        configuration.supportedOrientations = .landscape
        configuration.autorotate = .tabletMode
        configuration.laptopOrientation = .portraitUpsideDown
        configuration.applicationMasks = ["org.example.Player": .landscapeLeft]
        let rotation = RotationConfiguration(
            supported: .landscape,
            natural: .portrait,
            laptop: .portraitUpsideDown,
            applicationMasks: ["org.example.Player": .landscapeLeft]
        )
        #expect(configuration.rotation(chassis: idiom) == rotation)
        for tells in [false, true] {
            #expect(configuration.autorotateMode(chassis: idiom, hasTabletMode: tells) == .tabletMode)
        }
    }
}
