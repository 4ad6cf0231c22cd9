/// The event or failure that a status reports. The raw values are the same as in the Cocoa SDK 4.17.
public enum PNStatusCategory: Int, Sendable {
    /// The service answered with an HTTP status that no other category describes.
    case PNUnknownCategory = 0
    /// The service accepted the request.
    case PNAcknowledgmentCategory = 1
    /// Access was denied: HTTP 403.
    case PNAccessDeniedCategory = 2
    /// The service did not answer in time.
    case PNTimeoutCategory = 3
    /// The network failed: no route, an unknown host name, or a connection that was refused or reset.
    case PNNetworkIssuesCategory = 4
    /// An answer to a poll had at least as many messages as ``PNConfiguration/requestMessageCountThreshold``. Further messages may be
    /// missing.
    case PNRequestMessageCountExceededCategory = 5
    /// Subscribed.
    case PNConnectedCategory = 6
    /// The client is subscribed again after an unexpected loss.
    case PNReconnectedCategory = 7
    /// The client has unsubscribed because the application asked for it.
    case PNDisconnectedCategory = 8
    /// The client no longer receives messages, although the application has not unsubscribed.
    case PNUnexpectedDisconnectCategory = 9
    /// The client cancelled the request.
    case PNCancelledCategory = 10
    /// The client or the service refused the arguments: HTTP 400.
    case PNBadRequestCategory = 11
    /// The subscribed names are too many or too long for one request: HTTP 414.
    case PNRequestURITooLongCategory = 12
    /// The service cannot parse the filter expression: HTTP 481.
    case PNMalformedFilterExpressionCategory = 13
    /// The answer does not come from the service, such as HTML, or it is invalid JSON.
    case PNMalformedResponseCategory = 14
    /// A message could not be decrypted.
    case PNDecryptionErrorCategory = 15
    /// The TLS handshake failed.
    case PNTLSConnectionFailedCategory = 16
    /// The service's certificate was not accepted.
    case PNTLSUntrustedCertificateCategory = 17
    /// A file could not be uploaded.
    case PNSendFileErrorCategory = 18
    /// The message about an uploaded file could not be published.
    case PNPublishFileMessageErrorCategory = 19
    /// A file could not be downloaded.
    case PNDownloadErrorCategory = 20
}

extension PNStatusCategory {
    /// The human-readable name of the category, such as `Access Denied`.
    var text: String {
        switch self {
        case .PNUnknownCategory: "Unknown"
        case .PNAcknowledgmentCategory: "Acknowledgment"
        case .PNAccessDeniedCategory: "Access Denied"
        case .PNTimeoutCategory: "Timeout"
        case .PNNetworkIssuesCategory: "Network Issues"
        case .PNRequestMessageCountExceededCategory: "Message Count Exceeded"
        case .PNConnectedCategory: "Connected"
        case .PNReconnectedCategory: "Reconnected"
        case .PNDisconnectedCategory: "Expected Disconnect"
        case .PNUnexpectedDisconnectCategory: "Unexpected Disconnect"
        case .PNCancelledCategory: "Cancelled"
        case .PNBadRequestCategory: "Bad Request"
        case .PNRequestURITooLongCategory: "Request-URI Too Long"
        case .PNMalformedFilterExpressionCategory: "Malformed Filter Expression"
        case .PNMalformedResponseCategory: "Malformed Response"
        case .PNDecryptionErrorCategory: "Decryption Error"
        case .PNTLSConnectionFailedCategory: "TLS Connection Failed"
        case .PNTLSUntrustedCertificateCategory: "Untrusted TLS Certificate"
        case .PNSendFileErrorCategory: "File Upload Failed"
        case .PNPublishFileMessageErrorCategory: "File Message Publish Failed"
        case .PNDownloadErrorCategory: "File Download Failed"
        }
    }
}
