import ConnectionEngine

// The log lines of the client, which contain no keys, tokens or payloads (rule PK-52).
extension PubNub {
    func log(_ change: ConnectionChange) {
        switch change.phase {
        case .waiting, .suspended:
            let pause = change.retryIn?.inSeconds ?? 0
            logger.log(
                .PNFailureStatusLogLevel,
                "<PubNub> \(change.phase): \(change.cause?.description ?? "-"); attempt \(change.attempt), next in \(pause) s")
        case .failed:
            logger.log(.PNFailureStatusLogLevel, "<PubNub> failed: \(change.cause?.description ?? "-")")
        case .idle, .connecting, .connected, .disconnecting, .disconnected:
            logger.log(.PNInfoLogLevel, "<PubNub> \(change.phase): \(change.category)")
        }
    }
}
