import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol

/// A client of a PubNub service.
///
/// May be used from any thread; no method blocks. Listeners and completions are called on one queue, the main queue unless chosen
/// otherwise, in the order in which things happened. As long as there is a reference to it the client lives; releasing the last one
/// ends its connections, and calls under way end as cancelled (seed, Network lifecycle).
public final class PubNub: Sendable {
    let box: NIOLockedValueBox<ConfigurationValues>
    /// Where callbacks run.
    let queue: CallbackQueue
    let calls: CallRunner
    let listeners = ListenerTable()
    /// Tells this client from others of the same user.
    let instanceID = UUID().uuidString
    private let sequence = NIOLockedValueBox(0)

    init(_ values: ConfigurationValues, queue: CallbackQueue, assembly: EngineAssembly) {
        box = NIOLockedValueBox(values)
        self.queue = queue
        calls = CallRunner(transport: assembly.makeCalls(values))
    }

    /// A client whose callbacks come on the main queue. On Linux that queue runs only while the main thread runs it:
    /// `dispatchMain()` or a run loop.
    public static func clientWithConfiguration(_ configuration: PNConfiguration) -> PubNub {
        clientWithConfiguration(configuration, callbackQueue: nil)
    }

    /// A client.
    ///
    /// - Parameter callbackQueue: where callbacks run, a serial queue; nil for the main queue.
    public static func clientWithConfiguration(_ configuration: PNConfiguration, callbackQueue: DispatchQueue?) -> PubNub {
        PubNub(configuration.values, queue: callbackQueue.map { .queue($0) } ?? .main, assembly: .live)
    }

    /// Which version of the library this is.
    public static func information() -> PNClientInformation { PNClientInformation() }

    /// A copy of how the client is set up now. Changing it has no effect on the client.
    public func currentConfiguration() -> PNConfiguration { PNConfiguration(configuration) }

    /// Who the user is.
    public func uuid() -> String { configuration.uuid }

    /// How the client is set up now.
    var configuration: ConfigurationValues { box.withLockedValue { $0 } }

    var resultContext: ResultContext { configuration.resultContext }

    /// The number of the next message that this client publishes, from 1 on.
    func nextSequenceNumber() -> Int {
        sequence.withLockedValue { number in
            number = number >= Int(Int32.max) ? 1 : number + 1
            return number
        }
    }

    /// Hears what the client receives. Held weakly; adding one again changes nothing. May be called from any thread, also from inside
    /// a callback.
    public func addListener(_ listener: any PNEventsListener) {
        listeners.add(listener)
    }

    /// Ends what ``addListener(_:)`` began. A callback that is already running finishes.
    public func removeListener(_ listener: any PNEventsListener) {
        listeners.remove(listener)
    }
}
