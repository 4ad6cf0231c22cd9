// The limits of one message or one answer: those that the user chose, otherwise those of service and profile.
extension ConnectionPolicy {
    /// The range of time limits for one message that users may choose.
    public static let messageTimes = Duration.milliseconds(100)...Duration.seconds(3_600)
    /// The range that users may choose for the bytes of one message: 1 KiB to 1 GiB.
    public static let messageSizes = (1 << 10)...(1 << 30)

    /// How long one message may take from its first byte to its last.
    ///
    /// - Parameter chosen: the user's limit; nil for the profile's.
    public func messageTime(chosen: Duration?) -> Duration {
        chosen?.clamped(to: Self.messageTimes) ?? timing.message
    }

    /// The size limit of one message in bytes.
    ///
    /// - Parameters:
    ///   - chosen: the user's limit; nil for the smaller of `service` and the profile's.
    ///   - service: the longest message that the service is known to send.
    public func messageBytes(chosen: Int?, service: Int) -> Int {
        guard let chosen else { return min(service, messageBytes) }
        return min(max(chosen, Self.messageSizes.lowerBound), Self.messageSizes.upperBound)
    }
}
