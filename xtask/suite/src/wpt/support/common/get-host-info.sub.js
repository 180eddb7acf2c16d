/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// The origins that the server answers for, under the names that tests know from web-platform-tests.
function get_host_info() {
  const hosts = {
    ORIGINAL_HOST: '{{host}}',
    // The same site, another origin.
    REMOTE_HOST: '{{domains[www1]}}',
    OTHER_HOST: '{{domains[www2]}}',
    // Another site.
    NOTSAMESITE_HOST: '{{hosts[alt][]}}',
    OTHER_NOTSAMESITE_HOST: '{{hosts[alt][www1]}}',
  };
  const ports = {
    HTTP_PORT: '{{ports[http][0]}}',
    HTTP_PORT2: '{{ports[http][1]}}',
    HTTPS_PORT: '{{ports[https][0]}}',
    HTTPS_PORT2: '{{ports[https][1]}}',
  };
  const origins = (prefix, scheme, port) => ({
    [`${prefix}_ORIGIN`]: `${scheme}://${hosts.ORIGINAL_HOST}:${port}`,
    [`${prefix}_REMOTE_ORIGIN`]: `${scheme}://${hosts.REMOTE_HOST}:${port}`,
    [`${prefix}_OTHER_ORIGIN`]: `${scheme}://${hosts.OTHER_HOST}:${port}`,
    [`${prefix}_NOTSAMESITE_ORIGIN`]: `${scheme}://${hosts.NOTSAMESITE_HOST}:${port}`,
    [`${prefix}_OTHER_NOTSAMESITE_ORIGIN`]: `${scheme}://${hosts.OTHER_NOTSAMESITE_HOST}:${port}`,
  });
  return {
    ...hosts,
    ...ports,
    ...origins('HTTP', 'http', ports.HTTP_PORT),
    ...origins('HTTPS', 'https', ports.HTTPS_PORT),
    HTTP_ORIGIN_WITH_DIFFERENT_PORT: `http://${hosts.ORIGINAL_HOST}:${ports.HTTP_PORT2}`,
    HTTPS_ORIGIN_WITH_DIFFERENT_PORT: `https://${hosts.ORIGINAL_HOST}:${ports.HTTPS_PORT2}`,
    UNAUTHENTICATED_ORIGIN: `http://${hosts.NOTSAMESITE_HOST}:${ports.HTTP_PORT}`,
  };
}
