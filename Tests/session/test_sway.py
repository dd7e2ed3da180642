# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on sway."""

import session
from compositor import Sway


class SwayTests(session.SessionTests):
    COMPOSITOR = Sway
