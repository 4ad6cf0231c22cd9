/// The event or failure that a status reports. Raw values are those of the Cocoa SDK 4.17.
public enum PNStatusCategory: Int, Sendable {
    /// Nothing more exact fits: any unexpected HTTP status.
    case PNUnknownCategory = 0
    /// The request was accepted.
    case PNAcknowledgmentCategory = 1
    /// Access was denied: HTTP 403.
    case PNAccessDeniedCategory = 2
    /// No answer in time.
    case PNTimeoutCategory = 3
    /// No route, no such name, refused or reset.
    case PNNetworkIssuesCategory = 4
    /// A subscribe answer held as many messages as the threshold, so that some may be missing.
    case PNRequestMessageCountExceededCategory = 5
    /// Subscribed.
    case PNConnectedCategory = 6
    /// Subscribed again after an unexpected loss.
    case PNReconnectedCategory = 7
    /// The client has unsubscribed because the application asked for it.
    case PNDisconnectedCategory = 8
    /// The client no longer receives messages although the application did not ask for that.
    case PNUnexpectedDisconnectCategory = 9
    /// The client cancelled the request.
    case PNCancelledCategory = 10
    /// Arguments were refused, here or by the service: HTTP 400.
    case PNBadRequestCategory = 11
    /// HTTP 414: too many or too long names.
    case PNRequestURITooLongCategory = 12
    /// HTTP 481: the service does not understand the filter expression.
    case PNMalformedFilterExpressionCategory = 13
    /// The answer is not the service's: HTML, broken JSON.
    case PNMalformedResponseCategory = 14
    /// A message could not be decrypted.
    case PNDecryptionErrorCategory = 15
    /// The TLS handshake failed.
    case PNTLSConnectionFailedCategory = 16
    /// The certificate was not accepted.
    case PNTLSUntrustedCertificateCategory = 17
    /// A file could not be uploaded.
    case PNSendFileErrorCategory = 18
    /// The message about an uploaded file could not be published.
    case PNPublishFileMessageErrorCategory = 19
    /// A file could not be downloaded.
    case PNDownloadErrorCategory = 20
}

extension PNStatusCategory {
    /// The category's name for people.
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
