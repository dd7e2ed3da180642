#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: qtsensors.py

Reads orientation and light with QtSensors, and prints each reading that differs from the last one of its sensor: the
name of the orientation in Qt, or "lux" and the light.
"""
import sys

from PyQt6.QtCore import QCoreApplication
from PyQt6.QtSensors import QLightSensor, QOrientationSensor

app = QCoreApplication(sys.argv)
last = {}


def show(kind, text):
    if last.get(kind) != text:
        last[kind] = text
        print(text)


orientation, light = QOrientationSensor(), QLightSensor()
orientation.readingChanged.connect(lambda: show("orientation", orientation.reading().orientation().name))
light.readingChanged.connect(lambda: show("light", f"lux {light.reading().lux():g}"))
for sensor in orientation, light:
    if not sensor.connectToBackend() or not sensor.start():
        sys.exit(f"{sensor.type()}: no sensor")
    print(f"{bytes(sensor.type()).decode()}: {bytes(sensor.identifier()).decode()}")
sys.exit(app.exec())
