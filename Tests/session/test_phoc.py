# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on phoc."""

import session
from compositor import Phoc


class PhocTests(session.SessionTests):
    COMPOSITOR = Phoc
