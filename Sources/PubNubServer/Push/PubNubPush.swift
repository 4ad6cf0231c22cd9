import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage
import WireCoding

/// The push registrations of one keyset, and the webhook that receives its push notifications.
final class PubNubPush: Sendable {
    private let registrations: NIOLockedValueBox<PushRegistrations>
    private let queue = ChangeQueue()
    let webhook: PushWebhook
    private let store: any MessageStore
    private let subscribeKey: String
    let limits: PushRegistrations.Limits

    /// - Parameter records: the records of the keyset; records of other kinds than devices are ignored.
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
        restore()
    }

    /// Applies the webhook address and the secret of a configuration that has changed.
    func follow(_ keyset: Keyset) {
        webhook.follow(keyset)
        restore()
    }

    /// Continues with the undelivered webhook events of an earlier process (rule CR-43).
    private func restore() {
        for left in webhook.restore() {
            let devices = registrations.withLockedValue { $0.devices(on: left.message.channel) }
            webhook.tell(left.message, to: devices, keptAs: left.number)
        }
    }

    func channels(of device: PushDevice, after start: Identifier?, count: Int) -> [Identifier] {
        registrations.withLockedValue { $0.channels(of: device, after: start, count: count) }
    }

    /// Adds channels to a device, then removes channels from it; returns once the change is stored and in effect.
    ///
    /// - Throws: ``PushRegistrations/Refusal``, ``ChangeQueue/Full`` and errors of the store. After an error nothing has changed.
    func change(
        _ device: PushDevice, adding added: [Identifier], removing removed: [Identifier], by owner: PushOwner = PushOwner()
    ) async throws {
        try await commit(owner) { try $0.change(device, adding: added, removing: removed) }
    }

    /// Removes a device, and returns once the removal is stored.
    func remove(_ device: PushDevice, by owner: PushOwner = PushOwner()) async throws {
        try await commit(owner) { $0.removal(of: device) }
    }

    private func commit(
        _ owner: PushOwner, _ decide: @escaping @Sendable (PushRegistrations) throws -> PushRegistrations.Change?
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isAccepted = queue.add(for: owner.name) { [self] end in
                make(owner, decide) { result in
                    continuation.resume(with: result)
                    end()
                }
            }
            if !isAccepted { continuation.resume(throwing: ChangeQueue.Full()) }
        }
    }

    private func make(
        _ owner: PushOwner, _ decide: (PushRegistrations) throws -> PushRegistrations.Change?,
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        do {
            let decided = try registrations.withLockedValue { registrations in
                try decide(registrations).map { ($0, registrations.growth(by: $0)) }
            }
            guard let (change, size) = decided else { return completion(.success(())) }
            guard owner.add(size) else { throw ShareUsed() }
            store.commit([Self.record(change)], with: [], application: subscribeKey) { [registrations] error in
                if let error {
                    _ = owner.add(-size)
                    return completion(.failure(error))
                }
                registrations.withLockedValue { $0.apply(change) }
                completion(.success(()))
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Sends the push notifications that a stored and visible message requests in its payload.
    func tell(_ message: StoredMessage) {
        guard webhook.isWanted else { return }
        webhook.tell(message, to: registrations.withLockedValue { $0.devices(on: message.channel) })
    }

    private static func record(_ change: PushRegistrations.Change) -> KeysetRecordChange {
        guard !change.channels.isEmpty else { return .remove(change.device.record) }
        var body = JSONBody(isSpaced: false)
        body.strings(change.channels.sorted().texts)
        return .put(KeysetRecord(change.device.record, body.bytes))
    }

    private static func registration(_ record: KeysetRecord) -> (device: PushDevice, channels: [Identifier])? {
        guard record.key.kind == .pushDevice,
            let device = PushDevice(recordKey: String(decoding: record.key.name, as: UTF8.self)),
            let channels = (try? JSONText(bytes: record.value))?.elements
        else { return nil }
        return (device, channels.compactMap { $0.string.map { Identifier($0) } })
    }
}

/// The owner whose share of the limits a registration uses (rule PV-180).
struct PushOwner: Sendable {
    /// The user in the token or the client address; nil when the registration counts for no owner.
    var name: Identifier?
    /// Adds to the owner's count; returns false when the owner would exceed its share.
    var add: @Sendable (OwnerShares.Size) -> Bool = { _ in true }
}

extension PushDevice {
    fileprivate var record: KeysetRecord.Key { KeysetRecord.Key(.pushDevice, Array(recordKey.utf8)) }
}
