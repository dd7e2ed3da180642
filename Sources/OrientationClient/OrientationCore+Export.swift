// SPDX-License-Identifier: Apache-2.0

// The types of the core that programs use; the rest of it, such as `Event`, would stand in the way of their own names.
@_exported public import enum OrientationCore.AutorotateMode
@_exported public import enum OrientationCore.AutorotateSource
@_exported public import enum OrientationCore.DeviceOrientation
@_exported public import enum OrientationCore.FaceOrientation
@_exported public import enum OrientationCore.InterfaceOrientation
@_exported public import struct OrientationCore.InterfaceOrientationMask
@_exported public import enum OrientationCore.InterfaceReason
@_exported public import protocol OrientationCore.NamedValue
@_exported public import enum OrientationCore.OutputTransform
@_exported public import enum OrientationCore.RotationLock
@_exported public import struct OrientationCore.RotationRequest
@_exported public import enum OrientationCore.RotationRule
@_exported public import enum OrientationCore.SensorState
@_exported public import enum OrientationCore.TabletMode
@_exported public import enum OrientationCore.TabletModeSource
