# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on labwc."""

import session
from compositor import Labwc


class LabwcTests(session.SessionTests):
    COMPOSITOR = Labwc
