# One door for everything; xtask/ has what is behind it.  `make help` lists the tasks.
# Words after a task go in ARGS:  make test ARGS=tn3270   make run ARGS="--tn3270 0.0.0.0:3270"
.PHONY: run test bless guest cms dist oracle fuzz bench boots kernels docs page picture house deny aarch64 ci help
.DEFAULT_GOAL := help

run test bless guest cms dist oracle fuzz bench boots kernels docs page picture house deny aarch64 ci help:
	@sh xtask/x.sh $@ $(ARGS)
