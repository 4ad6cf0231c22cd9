import ConnectionEngine

extension PublishOutcome {
    /// The outcome of a message whose request failed: `refused` when the message cannot have been sent, otherwise `unknown` (rule LL-13).
    init(ofRequest failure: ConnectionFailure) {
        let error = LifelineError(failure)
        // A request with the category `badRequest` could not be encoded, so it was never sent.
        self = failure.precedesSending || failure.category == .badRequest ? .refused(error) : .unknown(error)
    }
}

extension ServiceHost {
    /// The URL of a target on this host.
    ///
    /// - Parameter target: path and query, percent-encoded, with the leading slash.
    func url(target: String) -> String {
        let host = name.contains(":") ? "[\(name)]" : name
        return "\(tls ? "https" : "http")://\(host):\(port)\(target)"
    }
}
