import Identifiers
import NIOConcurrencyHelpers
import RealtimeHub
import ServerRuntime
import WireCoding

/// The push registrations of one keyset, as its store has them, and the way to whoever pushes.
final class PubNubPush: Sendable {
    private let registrations: NIOLockedValueBox<PushRegistrations>
    let webhook: PushWebhook
    private let store: any MessageStore
    private let subscribeKey: String
    let limits: PushRegistrations.Limits

    /// - Parameter records: of the keyset; those of other kinds are left out.
    init(
        restoring records: [KeysetRecord], store: any MessageStore, webhook: PushWebhook, subscribeKey: String,
        limits: PushRegistrations.Limits = .init()
    ) {
        self.limits = limits
        self.store = store
        self.webhook = webhook
        self.subscribeKey = subscribeKey
        registrations = NIOLockedValueBox(
            PushRegistrations(restoring: records.compactMap { Self.registration($0) }, limits: limits))
    }

    func channels(of device: PushDevice, after start: Identifier?, count: Int) -> [Identifier] {
        registrations.withLockedValue { $0.channels(of: device, after: start, count: count) }
    }

    /// Adds channels to a device, then takes others away from it; returns once the store has it.
    ///
    /// - Throws: ``PushRegistrations/Refusal`` when nothing has changed, and errors of the store.
    func change(_ device: PushDevice, adding added: [Identifier], removing removed: [Identifier]) async throws {
        try await commit { registrations in
            guard let channels = try registrations.change(device, adding: added, removing: removed) else { return nil }
            return channels.isEmpty ? .remove(device.record) : .put(KeysetRecord(device.record, Self.value(channels)))
        }
    }

    /// Forgets a device; returns once the store has forgotten it.
    func remove(_ device: PushDevice) async throws {
        try await commit { $0.remove(device) ? .remove(device.record) : nil }
    }

    /// Changes are given to the store in the order in which they were made.
    private func commit(
        _ body: @Sendable (inout PushRegistrations) throws -> KeysetRecordChange?
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                try registrations.withLockedValue { registrations in
                    guard let change = try body(&registrations) else { return continuation.resume() }
                    // Only resumes a task, which does not run under this lock.
                    store.commit([change], with: [], application: subscribeKey) { error in
                        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                    }
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Has a message that is stored and visible pushed, where it asks for that.
    func tell(_ message: StoredMessage) {
        guard webhook.isWanted else { return }
        webhook.tell(message, to: registrations.withLockedValue { $0.devices(on: message.channel) })
    }

    private static func value(_ channels: [Identifier]) -> [UInt8] {
        var body = JSONBody(isSpaced: false)
        body.strings(channels.texts)
        return body.bytes
    }

    private static func registration(_ record: KeysetRecord) -> (device: PushDevice, channels: [Identifier])? {
        guard record.key.kind == .pushDevice,
            let device = PushDevice(recordKey: String(decoding: record.key.name, as: UTF8.self)),
            let channels = (try? JSONText(bytes: record.value))?.elements
        else { return nil }
        return (device, channels.compactMap { $0.string.map { Identifier($0) } })
    }
}

extension PushDevice {
    fileprivate var record: KeysetRecord.Key { KeysetRecord.Key(.pushDevice, Array(recordKey.utf8)) }
}
