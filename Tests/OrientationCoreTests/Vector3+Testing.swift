// SPDX-License-Identifier: Apache-2.0

import OrientationCore
import SplitMix

extension Vector3 {
    static func random(within limit: Double, using random: inout SplitMix) -> Vector3 {
        func part() -> Double { limit > 0 ? Double.random(in: -limit...limit, using: &random) : 0 }
        return Vector3(part(), part(), part())
    }
}
