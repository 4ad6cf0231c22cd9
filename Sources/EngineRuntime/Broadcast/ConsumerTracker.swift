/// Tracks which consumers of event sequences are processing elements; for tests.
package protocol ConsumerTracker: AnyObject, Sendable {
    /// The consumer waits for the next element, so it has processed all earlier elements.
    ///
    /// - Parameter task: identifies the consumer's task; nil when the task is unknown.
    func waits(_ consumer: ObjectIdentifier, task: Int?)
    /// The consumer has received elements and processes them.
    func began(_ consumer: ObjectIdentifier, task: Int?)
    /// A `for await` loop of the consumer has ended.
    func ended(_ consumer: ObjectIdentifier)
}
