import ConnectionEngine

#if canImport(Network)
    import Network
#endif

extension ConnectionFailure {
    /// Returns the failure for an error of Network.framework, either while connecting or on an open connection. Returns nil when `error` is
    /// of another kind (rule SO-107).
    static func network(_ error: any Error, whileDialling: Bool) -> ConnectionFailure? {
        #if canImport(Network)
            switch error as? NWError {
            case nil: return nil
            case .posix(let code): return socket(code.rawValue, whileDialling: whileDialling)
            case .dns(let code): return nameLookup(code)
            case .tls(let status): return secureTransport(status, whileDialling: whileDialling)
            case _?:
                return whileDialling
                    ? ConnectionFailure(.networkUnavailable, "The connection to the server could not be established.")
                    : ConnectionFailure(.unexpectedDisconnect, "The connection to the server was lost.")
            }
        #else
            return nil
        #endif
    }
}
