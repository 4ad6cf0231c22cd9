import ConnectionEngine

#if canImport(Network)
    import Network
#endif

extension ConnectionFailure {
    /// What an error of Network.framework means that came up while dialling or on a live link; nil when `error` is none (rule SO-107).
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
