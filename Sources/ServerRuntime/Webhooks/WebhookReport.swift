/// What has become of the events of one receiver of an application (rules SO-118 and CO-71).
package struct WebhookReport: Hashable, Sendable {
    /// Its place in the application's list of webhooks when it was configured first, from 0 on.
    package var number: Int
    /// Nil for one that is configured no more.
    package var url: String?
    package var counts: WebhookDelivery.Counts

    package init(number: Int = 0, url: String?, counts: WebhookDelivery.Counts) {
        self.number = number
        self.url = url
        self.counts = counts
    }

    /// What metrics count a receiver's events under.
    package struct Name: Hashable, Sendable {
        package var application: ApplicationName
        package var number: Int

        package init(_ application: ApplicationName, _ number: Int = 0) {
            self.application = application
            self.number = number
        }

        var labels: PrometheusText.Labels {
            [
                "service": application.service.rawValue, "app": application.application.text, "receiver": String(number),
            ]
        }
    }
}
