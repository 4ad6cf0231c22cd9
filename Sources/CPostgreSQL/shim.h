// The C interface of PostgreSQL's own client library, which pkg-config finds.
#include <libpq-fe.h>
