// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import Testing

@testable import OrientationDaemon

@Suite struct IdiomTests {
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
        let silent = Configuration()
        #expect(
            silent.rotation(chassis: idiom, natural: .landscapeLeft)
                == RotationConfiguration(supported: supported, natural: .landscapeLeft, laptop: .landscapeRight)
        )
        #expect(silent.autorotateMode(chassis: idiom) == mode)

        // What is configured counts, whatever hostnamed says.
        var configured = Configuration()
        configured.idiom = idiom ?? .tablet
        for chassis in [nil] + Idiom.allCases {
            #expect(configured.rotation(chassis: chassis, natural: .portrait).supported == supported)
            #expect(configured.autorotateMode(chassis: chassis) == mode)
        }
    }

    @Test(arguments: [nil] + Idiom.allCases)
    func `what is configured counts on every machine`(idiom: Idiom?) {
        var configuration = Configuration()
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
        #expect(configuration.rotation(chassis: idiom, natural: .portrait) == rotation)
        #expect(configuration.autorotateMode(chassis: idiom) == .tabletMode)
    }
}
