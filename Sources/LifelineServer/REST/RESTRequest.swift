/// A request with everything that its answer depends on.
struct RESTRequest: Hashable, Sendable {
    var method: String
    var target: RequestTarget
    var body: [UInt8]
}
