// The time and size limits of one message or answer: the user's choice if there is one, otherwise the limits of the service and the
// profile.
extension ConnectionPolicy {
    /// The time limits for one message that users may choose: 100 ms to one hour.
    public static let messageTimes = Duration.milliseconds(100)...Duration.seconds(3_600)
    /// The size limits for one message that users may choose, in bytes: 1 KiB to 1 GiB.
    public static let messageSizes = (1 << 10)...(1 << 30)

    /// The time limit of one message from its first byte to its last.
    ///
    /// - Parameter chosen: the user's limit; nil for the limit of the profile.
    public func messageTime(chosen: Duration?) -> Duration {
        chosen?.clamped(to: Self.messageTimes) ?? timing.message
    }

    /// The size limit of one message in bytes.
    ///
    /// - Parameters:
    ///   - chosen: the user's limit; nil for the smaller of `service` and the limit of the profile.
    ///   - service: the longest message that the service is known to send.
    public func messageBytes(chosen: Int?, service: Int) -> Int {
        guard let chosen else { return min(service, messageBytes) }
        return min(max(chosen, Self.messageSizes.lowerBound), Self.messageSizes.upperBound)
    }
}
