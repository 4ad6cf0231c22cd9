import Dispatch
import LifelineTesting
import NIOConcurrencyHelpers
import PubNub
import Testing

/// Gives up after the service has denied a channel three times.
final class PatientListener: PNObjectEventListener {
    let denials = NIOLockedValueBox(0)

    func client(_ client: PubNub, didReceive status: PNStatus) {
        guard status.category == .PNAccessDeniedCategory else { return }
        let count = denials.withLockedValue { count in
            count += 1
            return count
        }
        if count == 3 { (status as? PNErrorStatus)?.cancelAutomaticRetry() }
    }
}

@Test func `the app gives up after three denials`() async throws {
    let service = TestService()
    let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
    service.attach(to: configuration)
    let client = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "app"))
    let listener = PatientListener()
    client.addListener(listener)

    service.deny("room")
    client.subscribeToChannels(["room"], withPresence: false)
    try await service.advance(by: .seconds(600))
    #expect(listener.denials.withLockedValue { $0 } == 3)
}
