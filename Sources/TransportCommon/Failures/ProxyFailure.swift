import ConnectionEngine

extension ConnectionFailure {
    /// The failure when a proxy answers 407 (rules WT-16 and HT-15).
    ///
    /// - Parameter credentials: the credentials that were sent.
    ///
    /// - Parameter credentials: those that it was given.
    public static func proxyRefusal(credentials: HTTPProxy.Credentials?) -> ConnectionFailure {
        let words = credentials == nil ? "The proxy requires credentials." : "The proxy does not accept the credentials."
        return ConnectionFailure(.proxyUnavailable, words, httpStatus: 407)
    }

    /// The same failure of name lookup or TCP connection, attributed to the proxy.
    public var reachingProxy: ConnectionFailure {
        var failure = self
        failure.category = .proxyUnavailable
        failure.reason = "The proxy cannot be reached: \(reason.replacing("server", with: "proxy"))"
        return failure
    }
}
