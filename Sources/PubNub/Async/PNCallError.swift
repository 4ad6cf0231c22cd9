import ConnectionEngine
import PubNubProtocol

/// Why a call failed: the one error of the async functions. An addition to the Cocoa SDK.
public struct PNCallError: Error, Sendable, CustomStringConvertible {
    /// The Cocoa SDK's category.
    public let category: PNStatusCategory
    /// The HTTP status of the answer, or what stands in for one; see ``PNResult/statusCode``.
    public let statusCode: Int
    /// The service's own words; nil when it had none.
    public let information: String?
    /// The channels to which access was denied.
    public let channels: [String]
    /// The groups to which access was denied, with the colon in front that the service writes.
    public let channelGroups: [String]
    /// The engine's own words: more than the category tells.
    public let failure: PNFailure

    init(_ problem: PubNubProblem) {
        category = PNStatusCategory(problem.category)
        statusCode = problem.statusCode
        information = problem.information
        channels = problem.channels
        channelGroups = problem.channelGroups
        failure = PNFailure(problem.failure)
    }

    /// Whether the same call may succeed later without anything else being changed.
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
