"""What a worker process imports before it is forked (`implementations.isolation`): every claim and its tables."""

from properties.claims import all_claims

all_claims()
