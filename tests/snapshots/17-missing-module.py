import pandsa
