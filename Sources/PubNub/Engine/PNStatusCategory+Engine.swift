import ConnectionEngine

extension PNStatusCategory {
    /// Maps a category of the engine to the Cocoa SDK's status category. The mapping is defined only here (architecture, Categories; rule
    /// PK-1).
    init(_ category: StatusCategory) {
        switch category {
        case .connected: self = .PNConnectedCategory
        case .reconnected: self = .PNReconnectedCategory
        case .disconnected: self = .PNDisconnectedCategory
        case .unexpectedDisconnect, .serverRestart: self = .PNUnexpectedDisconnectCategory
        case .networkUnavailable, .proxyUnavailable: self = .PNNetworkIssuesCategory
        case .timeout: self = .PNTimeoutCategory
        case .tlsFailed: self = .PNTLSConnectionFailedCategory
        case .tlsUntrusted: self = .PNTLSUntrustedCertificateCategory
        case .malformedResponse: self = .PNMalformedResponseCategory
        case .badRequest: self = .PNBadRequestCategory
        case .requestTooLong: self = .PNRequestURITooLongCategory
        case .malformedFilter: self = .PNMalformedFilterExpressionCategory
        case .accessDenied, .credentialsRejected: self = .PNAccessDeniedCategory
        case .decryptionFailed: self = .PNDecryptionErrorCategory
        case .messageCountExceeded: self = .PNRequestMessageCountExceededCategory
        case .cancelled: self = .PNCancelledCategory
        default: self = .PNUnknownCategory
        }
    }

    /// The status code of a result for which the service sent no HTTP answer (rule PK-2).
    var standInStatusCode: Int {
        switch self {
        case .PNTimeoutCategory: 408
        case .PNNetworkIssuesCategory: -1
        case .PNMalformedResponseCategory: 500
        case .PNBadRequestCategory: 400
        case .PNCancelledCategory: 499
        case .PNTLSConnectionFailedCategory: 525
        case .PNTLSUntrustedCertificateCategory: 526
        case .PNAccessDeniedCategory: 403
        case .PNRequestURITooLongCategory: 414
        case .PNMalformedFilterExpressionCategory: 481
        default: 200
        }
    }
}
