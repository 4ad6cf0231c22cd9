/// Describes a call as an object. Not for sharing between threads; a client reads it when the call is made.
open class PNRequest {
    init() {}
}
