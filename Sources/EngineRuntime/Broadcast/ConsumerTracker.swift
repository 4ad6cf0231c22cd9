/// Tracks which loops over a sequence are processing elements; for tests.
package protocol ConsumerTracker: AnyObject, Sendable {
    /// The consumer waits for elements, so it has processed the earlier ones.
    ///
    /// - Parameter task: identifies the consumer's task; nil when it is not known.
    func waits(_ consumer: ObjectIdentifier, task: Int?)
    /// The consumer gets elements.
    func began(_ consumer: ObjectIdentifier, task: Int?)
    /// A loop of the consumer has ended.
    func ended(_ consumer: ObjectIdentifier)
}
