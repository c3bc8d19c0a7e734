#!/bin/sh
# Stands for `proofmark`: notes how it was called, then does what the test wrote into the state folder.
echo "$@" >> called
pwd >> called
env > environment
. ./script
