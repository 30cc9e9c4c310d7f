# What an access asks of the caches.

# ---- a cache modifier that reads have not
def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=".wt")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: cache_modifier is '', '.ca', '.cg', '.cs' or '.cv', not '.wt'

vectors(application).ir()
# ---- a cache modifier that writes have not
def application(x, output):
    ntl.store(output.source.data_ptr() + output.offsets(), x, cache_modifier=".ca")
# error: ArgumentError: ntl.store: cache_modifier is '', '.wb', '.cg', '.cs' or '.wt', not '.ca'

vectors(application).ir()
# ---- an eviction policy that there is not
def application(x, output):
    p = x.source.data_ptr() + x.offsets()
    output = ntl.load(p, eviction_policy="evict_soon")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: eviction_policy is '', 'evict_first' or 'evict_last', not 'evict_soon'

vectors(application).ir()
# ---- a cache modifier that is not known
def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=x)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: cache_modifier is '', '.ca', '.cg', '.cs' or '.cv', not the tensor x

vectors(application).ir()
# ---- volatile that is no bool
def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), volatile="yes")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TypeMismatchError: ntl.load: volatile must be True or False, known when compiling, not 'yes'

vectors(application).ir()
# ---- a boundary check
def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), boundary_check=(0,))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: boundary_check is for Triton's block pointers, which the language has not; give a mask, and other

vectors(application).ir()
# ---- padding
def application(x, output):
    output = ntl.load(x.source.data_ptr() + x.offsets(), padding_option="zero")
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: ArgumentError: ntl.load: padding_option is for Triton's block pointers, which the language has not; give a mask, and other

vectors(application).ir()
# ---- two wishes of an NVIDIA GPU
def application(x, output):
    p = x.source.data_ptr() + x.offsets()
    output = ntl.load(p, cache_modifier=".cg", volatile=True)
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: DeviceError: an access of an NVIDIA GPU takes one of cache_modifier, eviction_policy and volatile, not '.cg' and 'volatile'; leave the others out

vectors(application).source()
