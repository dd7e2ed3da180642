// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix

extension Vector3 {
    func scaled(by number: Double) -> Vector3 { Vector3(x * number, y * number, z * number) }

    func adding(_ other: Vector3) -> Vector3 { Vector3(x + other.x, y + other.y, z + other.z) }

    static func random(within limit: Double, using random: inout SplitMix) -> Vector3 {
        func part() -> Double { limit > 0 ? Double.random(in: -limit...limit, using: &random) : 0 }
        return Vector3(part(), part(), part())
    }
}
