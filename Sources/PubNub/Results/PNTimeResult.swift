import Foundation
import PubNubProtocol

/// The present time of the service.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNTimeData: PNServiceData, @unchecked Sendable {
    /// The service's time in units of 100 ns since 1970.
    public let timetoken: NSNumber

    init(_ time: Timetoken) {
        timetoken = time.number
    }
}

/// The answer to a request for the service's time.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNTimeResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNTimeData

    init(_ facts: ResultFacts, _ time: Timetoken) {
        data = PNTimeData(time)
        super.init(facts: facts)
    }
}
