// SPDX-License-Identifier: Apache-2.0

/// What is known of the device's orientation, sample by sample.
package struct OrientationTracker: Sendable {
    /// The filtered gravity in g; (0, 0, 0) while unknown.
    ///
    /// Past the repair of a wrong scale: 1 g long at rest whatever the sensor reads.
    var gravity: Vector3 { estimator.gravity.map { $0 / reference } ?? .zero }

    /// The edge that is up, or the face where that is to be reported; unknown until the first one.
    package var deviceOrientation: DeviceOrientation {
        reportsFace ? faceOrientation.deviceOrientation ?? deviceEdge : deviceEdge
    }
    package private(set) var faceOrientation = FaceOrientation.none

    /// The edge that is, or was last, up, portrait being the display's own top; unknown until the first one.
    private(set) var edge = DeviceOrientation.unknown

    /// How far the display leans, or last leaned; undefined until the first sample.
    package private(set) var tilt = Tilt.undefined

    /// The same edge by the device's own names; unknown until the first one.
    var deviceEdge: DeviceOrientation { edge.named(natural: naturalOrientation) }

    /// Whether an edge or a face was seen since the last ``restart()``.
    var hasAnswer: Bool { hasEdge || classifier.face != .none }

    /// Whether an edge was seen since then.
    var hasEdge: Bool { classifier.edge != .unknown }

    package var isTurning: Bool { classifier.isTurning }

    /// The norm that counts as 1 g, in g: 1 unless the sensor's scale is wrong.
    var reference: Double { classifier.reference }

    /// The norm in g of samples that have been too small for a first answer for ``longestWeakness``.
    private(set) var weakNorm: Double?

    /// How long, in seconds, a knock lasts at most.
    private static let longestKnock = 0.03

    /// How long samples that are too small for an answer are no fault, in seconds: longer than any fall.
    private static let longestWeakness = 2.0

    var naturalOrientation: DeviceOrientation
    private let constants: OrientationClassifier.Constants
    private let reportsFace: Bool
    private var classifier: OrientationClassifier
    private var faceUp = SensorFrame.FaceUp.positiveZ
    private var samplePeriod = 1.0 / 15
    private var estimator = GravityEstimator()
    private var weakSince: Double?

    package init(naturalOrientation: DeviceOrientation, constants: OrientationClassifier.Constants, reportsFace: Bool) {
        self.naturalOrientation = naturalOrientation
        self.constants = constants
        self.reportsFace = reportsFace
        classifier = OrientationClassifier(constants: constants)
    }

    /// Starts afresh after a pause: the next sample decides at once, and until then the last orientation stays.
    ///
    /// `faceUp` is the sensor's own sign of z, which tells tilts apart.
    package mutating func begin(samplePeriod: Double, faceUp: SensorFrame.FaceUp) {
        self.faceUp = faceUp
        self.samplePeriod = samplePeriod
        restart()
    }

    /// Starts afresh while samples go on: the next one decides at once.
    mutating func restart() {
        classifier = OrientationClassifier(constants: constants, samplePeriod: samplePeriod)
        estimator = GravityEstimator()
        weakSince = nil
        weakNorm = nil
    }

    /// Adds a sample that came while the sensor was read as `sensing` says.
    ///
    /// Before the first one after a rest, the pose at rest is added: the readings since the last sample were left out.
    /// Not for a fast sensor: two of its samples may be of one knock.
    package mutating func add(_ sample: AccelerometerSample, _ sensing: Sensing = .stream) {
        if sensing.level != .stream, samplePeriod >= Self.longestKnock, sensing.showsMotion(sample.acceleration) {
            let time = sample.time - constants.longestCounted
            let last = AccelerometerSample(time: time, acceleration: sensing.reference)
            classifier.update(gravity: last.gravity, at: last.time)
        }
        let gravity = sample.gravity
        classifier.update(gravity: gravity, at: sample.time)
        noteWeakness(of: gravity, at: sample.time)
        let lastTilt = estimator.gravity == nil ? .undefined : tilt
        estimator.update(gravity: gravity, at: sample.time)
        if classifier.edge != .unknown { edge = classifier.edge }
        if let gravity = estimator.gravity { tilt = Tilt(gravity, faceUp: faceUp, after: lastTilt) }
        faceOrientation = classifier.face
    }

    private mutating func noteWeakness(of gravity: Vector3, at time: Double) {
        // After the answer, no sample needs the square root of a norm. A hung chip reads 0, which says nothing of the scale.
        let norm = hasAnswer ? 0 : gravity.magnitude
        guard norm > 0, norm < OrientationClassifier.leastReference else {
            weakSince = nil
            weakNorm = nil
            return
        }
        let start = weakSince ?? time
        weakSince = start
        weakNorm = time - start < Self.longestWeakness ? nil : norm
    }
}
