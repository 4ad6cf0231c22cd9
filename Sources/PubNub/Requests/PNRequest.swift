/// The arguments of a call as an object. Several threads must not share it. The client reads it when the call is made.
open class PNRequest {
    init() {}
}
