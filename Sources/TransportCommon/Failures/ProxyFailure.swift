import ConnectionEngine

extension ConnectionFailure {
    /// The failure for a proxy's answer with status 407 (rules WT-16 and HT-15).
    ///
    /// - Parameter credentials: the credentials that were sent to the proxy; nil for none.
    public static func proxyRefusal(credentials: HTTPProxy.Credentials?) -> ConnectionFailure {
        let words = credentials == nil ? "The proxy requires credentials." : "The proxy does not accept the credentials."
        return ConnectionFailure(.proxyUnavailable, words, httpStatus: 407)
    }

    /// A copy of a failure of name lookup or TCP connection that is attributed to the proxy: category and text name the proxy instead of
    /// the server.
    public var reachingProxy: ConnectionFailure {
        var failure = self
        failure.category = .proxyUnavailable
        failure.reason = "The proxy cannot be reached: \(reason.replacing("server", with: "proxy"))"
        return failure
    }
}
