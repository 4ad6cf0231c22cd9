import ConnectionEngine
import Identifiers
import WireCoding

// Decryption of events on encrypted channels. Rules PS-20 to PS-22.
extension PusherSession {
    /// Decrypts an event, or stores it until a newer key arrives. Events of one channel stay in order; other channels do not wait for the
    /// key.
    mutating func encryptedEvent(_ envelope: PusherEnvelope, of name: String, out: inout Actions) {
        guard let channel = sealed[name], channel.reload != nil else {
            open(envelope, of: name, out: &out)
            return
        }
        if channel.backlog.count < SealedChannel.backlogLimit {
            sealed[name]?.backlog.append(envelope)
        } else {
            reportUndecryptable(envelope, of: name, out: &out)
        }
    }

    /// Handles the result of a request for a newer key; nil means that there is no newer key. Decrypts or drops the first waiting event,
    /// then handles all other waiting events.
    mutating func keyArrived(_ authorization: PusherAuthorization?, for name: String, out: inout Actions) {
        guard let channel = sealed[name], channel.reload != nil else { return }
        var backlog = channel.backlog
        sealed[name]?.reload = nil
        sealed[name]?.backlog = []
        if let secret = authorization?.sharedSecret { sealed[name]?.key = PusherEncryption.key(base64: secret) }
        guard !backlog.isEmpty else { return }
        let first = backlog.removeFirst()
        switch decrypt(first, of: name) {
        case .success(let message): out.emit(.message(message))
        case .failure: reportUndecryptable(first, of: name, out: &out)
        }
        for envelope in backlog { encryptedEvent(envelope, of: name, out: &out) }
    }

    private mutating func open(_ envelope: PusherEnvelope, of name: String, out: inout Actions) {
        switch decrypt(envelope, of: name) {
        case .success(let message):
            out.emit(.message(message))
        case .failure(.malformedPayload):
            reportUndecryptable(envelope, of: name, out: &out)
        case .failure(.wrongKey):
            if startReload(name, out: &out) {
                sealed[name]?.backlog.append(envelope)
            } else {
                reportUndecryptable(envelope, of: name, out: &out)
            }
        }
    }

    /// Requests a newer key. Returns false when keys were requested too often in the last minute.
    private mutating func startReload(_ name: String, out: inout Actions) -> Bool {
        guard let socketID, var channel = sealed[name] else { return false }
        channel.reloads.removeAll { out.now.duration(since: $0) >= .seconds(60) }
        guard channel.reloads.count < SealedChannel.reloadsPerMinute,
            let job = out.run(PusherAuthorizeJob(channel: name, socketID: socketID, purpose: .keyReload))
        else { return false }
        jobs[job] = name
        let deadline = out.now + out.timing.request
        channel.reloads.append(out.now)
        channel.reload = SealedChannel.KeyReload(job: job, deadline: deadline)
        sealed[name] = channel
        arm(deadline, out: &out)
        return true
    }

    private func decrypt(_ envelope: PusherEnvelope, of name: String) -> Result<PusherEnvelope, PusherDecryptionError> {
        // An event without data is delivered unchanged, because it has no ciphertext.
        guard let data = envelope.data, envelope.dataKind != .null else { return .success(envelope) }
        do throws(PusherDecryptionError) {
            return .success(envelope.decrypted(try PusherEncryption.decrypt(data, sharedSecret: sealed[name]?.key)))
        } catch {
            return .failure(error)
        }
    }

    private func reportUndecryptable(_ envelope: PusherEnvelope, of name: String, out: inout Actions) {
        out.emit(.decryptionFailed(channel: name, event: envelope.event, data: envelope.data))
    }
}
