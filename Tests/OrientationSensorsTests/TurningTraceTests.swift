// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import OrientationSensors
import POSIX
import Testing

@Suite struct TurningTraceTests {
    @Test func `the bundled trace shows every edge and both faces`() throws {
        let file = try FileDescriptor.open(reading: Fixtures.path(of: "turning.csv"))
        var reader = TraceReader(file, name: "turning.csv")
        var classifier = OrientationClassifier(constants: .robust)
        var edges: [DeviceOrientation] = []
        var faces: [FaceOrientation] = []
        while let record = try reader.next() {
            guard case .sample(let sample) = record else {
                Issue.record("\(record)")
                continue
            }
            classifier.update(gravity: sample.gravity, at: sample.time)
            if edges.last != classifier.edge { edges.append(classifier.edge) }
            if faces.last != classifier.face { faces.append(classifier.face) }
        }
        #expect(
            edges == [
                .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .portrait, .landscapeLeft,
            ]
        )
        #expect(faces == [.none, .faceUp, .none, .faceDown, .none])
        #expect(reader.line == 302)
    }
}
