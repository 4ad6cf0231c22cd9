import ConnectionEngine
import PubNubProtocol

/// The error that the async functions of ``PubNub`` throw. An addition to the Cocoa SDK.
public struct PNCallError: Error, Sendable, CustomStringConvertible {
    /// The category of the failure, with the names of the Cocoa SDK.
    public let category: PNStatusCategory
    /// The HTTP status of the answer, or a substitute when the service sent no answer; see ``PNResult/statusCode``.
    public let statusCode: Int
    /// The service's explanation; nil when it sent none.
    public let information: String?
    /// The channels to which access was denied.
    public let channels: [String]
    /// The groups to which access was denied, with the service's prefix `:`.
    public let channelGroups: [String]
    /// The engine's description of the failure, with a more specific category and a reason.
    public let failure: PNFailure
    /// The uploaded file when only the message to subscribers failed; otherwise nil.
    /// ``PubNub/sendFile(_:name:to:message:options:cipherKey:)`` sets it. Publish the message with
    /// ``PubNub/publishFileMessage(_:name:to:message:options:)``.
    public let uploadedFile: PNUploadedFile?

    init(_ problem: PubNubProblem, uploaded: PNUploadedFile? = nil) {
        uploadedFile = uploaded
        category = PNStatusCategory(problem.category)
        statusCode = problem.statusCode
        information = problem.information
        channels = problem.channels
        channelGroups = problem.channelGroups
        failure = PNFailure(problem.failure)
    }

    /// Whether the same call may succeed later without changes.
    public var isTransient: Bool {
        switch category {
        case .PNTimeoutCategory, .PNNetworkIssuesCategory, .PNMalformedResponseCategory, .PNTLSConnectionFailedCategory: true
        default: statusCode == 429 || (500..<600).contains(statusCode)
        }
    }

    public var description: String {
        information.map { "\(failure) – \($0)" } ?? failure.description
    }
}
