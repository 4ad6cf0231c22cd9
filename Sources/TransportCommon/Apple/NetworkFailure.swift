import ConnectionEngine

#if canImport(Network)
    import Network
#endif

extension ConnectionFailure {
    /// Returns the failure for an error of Network.framework while dialling or on a live link; nil when `error` is not one (rule
    /// SO-107).
    static func network(_ error: any Error, whileDialling: Bool) -> ConnectionFailure? {
        #if canImport(Network)
            switch error as? NWError {
            case nil: return nil
            case .posix(let code): return socket(code.rawValue, whileDialling: whileDialling)
            case .dns(let code): return nameLookup(code)
            case .tls(let status): return secureTransport(status, whileDialling: whileDialling)
            case _?:
                return whileDialling
                    ? ConnectionFailure(.networkUnavailable, "The connection could not be established.")
                    : ConnectionFailure(.unexpectedDisconnect, "The connection was lost.")
            }
        #else
            return nil
        #endif
    }
}
