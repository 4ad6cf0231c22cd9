import WireCoding

/// The service's description of an error.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNErrorData: PNServiceData, @unchecked Sendable {
    /// The channels to which access was denied.
    public let channels: [String]
    /// The groups to which access was denied, with the service's prefix `:`.
    public let channelGroups: [String]
    /// The text of the service's answer; `No Error Information` when it contains none.
    public let information: String
    private let payload: String?

    init(information: String? = nil, channels: [String] = [], channelGroups: [String] = [], payload: String? = nil) {
        self.information = information ?? "No Error Information"
        self.channels = channels
        self.channelGroups = channelGroups
        self.payload = payload
    }

    /// Additional data of the service's answer as a JSON value; nil for none.
    public var data: Any? { payload.flatMap { FoundationJSON.value($0) } }
}

/// A status that may report an error.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
open class PNErrorStatus: PNStatus, @unchecked Sendable {
    private let associated: Any?

    init(status: StatusFacts, associatedObject: Any?) {
        associated = associatedObject
        super.init(status: status)
    }

    override init(status: StatusFacts) {
        associated = nil
        super.init(status: status)
    }

    /// The service's description of the error.
    public final var errorData: PNErrorData { status.errorData }

    /// The object that the error concerns: a `PNMessageData` or `PNHistoryData` that could not be decrypted; nil otherwise.
    public final var associatedObject: Any? { associated }
}

/// The outcome of a call that changes data. The category is `PNAcknowledgmentCategory` when the service accepted the change.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
open class PNAcknowledgmentStatus: PNErrorStatus, @unchecked Sendable {}
